import type { ContentBlock } from "../message/types.ts";
import type { AiSdkPart, AiSdkPromptPart } from "./ai-sdk-shapes.ts";
import { isRecord, optionsOfBlock, type Target } from "./family.ts";
import type { ProviderData } from "./port.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Media {
  readonly mediaType: string;
  readonly filename: string | undefined;
  /** One of the three. */
  readonly data?: string | Uint8Array | undefined;
  readonly url?: string | undefined;
  readonly fileId?: string | undefined;
}

// The block types under which media comes, and the type that is meant when no other is given.
const kinds: ReadonlyMap<string, string> = new Map([
  ["image", "image/*"],
  ["image_url", "image/*"],
  ["input_image", "image/*"],
  ["audio", "audio/wav"],
  ["input_audio", "audio/wav"],
  ["video", "video/mp4"],
  ["file", "application/pdf"],
  ["input_file", "application/pdf"],
  ["document", "application/pdf"],
]);

/** A block with an image, sound, film or file as a part of a prompt; `undefined` for any other. */
export function mediaPart(block: ContentBlock, to: Target): AiSdkPromptPart | undefined {
  const media = readMedia(block);
  if (!media) return undefined;
  const part: Record<string, unknown> = { type: "file", mediaType: media.mediaType };
  part["data"] = fileData(media, to);
  if (media.filename !== undefined) part["filename"] = media.filename;
  const providerOptions = optionsOfBlock(block, to);
  if (providerOptions) part["providerOptions"] = providerOptions;
  return part as AiSdkPromptPart;
}

/** The same block within the result of a tool. V2 knows no addresses there: `undefined`. */
export function mediaOfResult(block: ContentBlock, to: Target): AiSdkPromptPart | undefined {
  const media = readMedia(block);
  if (!media) return undefined;
  const { mediaType, filename, data, url } = media;
  const named = filename === undefined ? undefined : { filename };
  if (to.version === "v4") return { type: "file", mediaType, data: fileData(media, to), ...named };
  const base64 = data instanceof Uint8Array ? toBase64(data) : data;
  if (to.version === "v2") {
    return base64 === undefined ? undefined : { type: "media", data: base64, mediaType };
  }
  const kind = mediaType.startsWith("image/") ? "image" : "file";
  if (base64 !== undefined) return { type: `${kind}-data`, data: base64, mediaType, ...named };
  return url === undefined ? undefined : { type: `${kind}-url`, url };
}

function fileData({ data, url, fileId }: Media, to: Target): unknown {
  if (to.version !== "v4") return data ?? (url === undefined ? fileId : new URL(url));
  if (data !== undefined) return { type: "data", data };
  if (url !== undefined) return { type: "url", url: new URL(url) };
  return {
    type: "reference",
    reference: Object.fromEntries(to.keys.map((key) => [key, fileId])),
  };
}

/** Reads the standard blocks, and those of OpenAI's and Anthropic's APIs. */
function readMedia(block: ContentBlock): Media | undefined {
  const { type } = block;
  const usual = kinds.get(type);
  if (usual === undefined) return undefined;
  const inner = block["source"] ?? block[type];
  const fields: Fields = isRecord(inner) ? { ...block, ...inner } : block;
  const text = (...keys: readonly string[]): string | undefined => {
    const found = keys.find((key) => typeof fields[key] === "string" && fields[key] !== "");
    return found === undefined ? undefined : (fields[found] as string);
  };
  const format = type === "input_audio" && text("format");
  const mediaType =
    text("mimeType", "mime_type", "mediaType", "media_type") ??
    (typeof format === "string" ? `audio/${format}` : usual);
  const filename = text("filename", "name", "title");
  const bytes = fields["data"];
  if (bytes instanceof Uint8Array) return { mediaType, filename, data: bytes };
  const url = text("url", "image_url", "file_url");
  const data = text("data", "base64", "file_data") ?? (url?.startsWith("data:") ? url : undefined);
  if (data !== undefined) return { filename, ...fromDataUrl(data, mediaType) };
  if (url !== undefined && URL.canParse(url)) return { mediaType, filename, url };
  const fileId = text("fileId", "file_id");
  return fileId === undefined ? undefined : { mediaType, filename, fileId };
}

function fromDataUrl(data: string, mediaType: string): Pick<Media, "mediaType" | "data"> {
  const found = /^data:([^;,]*)(?:;[^,]*)?,/.exec(data);
  if (!found) return { mediaType, data };
  return { mediaType: found[1] || mediaType, data: data.slice(found[0].length) };
}

/** A file that a model made, as a block: an image, a sound, a film, or else a file. */
export function fileBlock(part: AiSdkPart, provider: ProviderData): ContentBlock {
  const { mediaType = "application/octet-stream" } = part;
  const kind = mediaType.split("/", 1)[0] ?? "";
  const type = kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
  // V4 says what the data is; before, it is always the data.
  const tagged = isRecord(part.data) && !(part.data instanceof Uint8Array) ? part.data : undefined;
  const data = tagged ? (tagged["data"] ?? tagged["url"]) : part.data;
  const block = { type, mimeType: mediaType, provider };
  if (data instanceof URL || tagged?.["type"] === "url") return { ...block, url: String(data) };
  return { ...block, data: data instanceof Uint8Array ? toBase64(data) : String(data) };
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(text);
}
