// The part of the public API that the programs use, and how the two libraries are loaded.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Stands for a declared channel; the programs never look inside. */
export interface Channel<Value> {
  readonly value?: Value;
}

/** Stands for a declared state; the programs never look inside. */
export interface Schema<State> {
  readonly state?: State;
}

export interface CompiledGraph<State> {
  invoke(input: Partial<State>, config?: { recursionLimit: number }): Promise<State>;
}

export interface GraphBuilder<State> {
  addNode(
    name: string,
    node: (state: Readonly<State>) => Promise<Partial<State>>,
  ): GraphBuilder<State>;
  addEdge(from: string, to: string): GraphBuilder<State>;
  addConditionalEdges(
    from: string,
    route: (state: Readonly<State>) => string | readonly object[],
    targets: readonly string[],
  ): GraphBuilder<State>;
  compile(): CompiledGraph<State>;
}

interface AnnotationFactory {
  <Value>(options?: {
    reducer: (current: Value, update: Value) => Value;
    default: () => Value;
  }): Channel<Value>;
  Root<State extends object>(fields: {
    [Key in keyof State]: Channel<State[Key]>;
  }): Schema<State>;
}

/** What LangGraph.js and Superstep both export: a program takes one of them as its argument. */
export interface Library {
  readonly StateGraph: new <State>(schema: Schema<State>) => GraphBuilder<State>;
  readonly Annotation: AnnotationFactory;
  readonly Send: new (node: string, state: object) => object;
  readonly START: string;
  readonly END: string;
}

export interface LoadedLibrary {
  readonly library: Library;
  readonly version: string;
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface SourceManifest extends Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const readManifest = async (file: URL | string): Promise<Manifest> =>
  JSON.parse(await readFile(file, "utf8")) as Manifest;

interface Superstep {
  readonly version: string;
  readonly load: <Entry>(subpath: "." | "./models" | "./testing") => Promise<Entry>;
}

/** Superstep from this repository: the sources, or with `built` what `npm run build` made of them. */
export async function importSuperstep(built: boolean): Promise<Superstep> {
  const folder = new URL("../packages/superstep/", import.meta.url);
  const manifest = (await readManifest(new URL("package.json", folder))) as SourceManifest;
  const condition = built ? "default" : "@superstep/source";
  return {
    version: `${manifest.version} (${built ? "dist" : "src"})`,
    async load<Entry>(subpath: string): Promise<Entry> {
      const entry = manifest.exports[subpath]?.[condition];
      if (entry === undefined) {
        throw new Error(`packages/superstep exports no "${condition}" for "${subpath}"`);
      }
      return (await import(new URL(entry, folder).href)) as Entry;
    },
  };
}

export async function loadSuperstep(built: boolean): Promise<LoadedLibrary> {
  const { version, load } = await importSuperstep(built);
  return { library: await load<Library>("."), version };
}

/** Installs what `bench/package-lock.json` holds, where that has not been done. */
export function install(): void {
  const file = new URL("package.json", import.meta.url);
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const missing = Object.keys(dependencies).find(
    (name) => !existsSync(new URL(`node_modules/${name}`, import.meta.url)),
  );
  if (missing === undefined) return;
  execFileSync("npm", ["ci"], {
    cwd: import.meta.dirname,
    stdio: ["ignore", process.stderr, process.stderr],
  });
}

/** Every kind of tracing, off: before a package of LangChain's is loaded. */
function turnTracingOff(): void {
  for (const name of Object.keys(process.env)) {
    if (/^LANG(CHAIN|SMITH|FUSE)_/.test(name)) delete process.env[name];
  }
  process.env["LANGSMITH_TRACING"] = "false";
  process.env["LANGCHAIN_TRACING_V2"] = "false";
}

/** The version of a package in `bench/node_modules`. */
async function versionOf(name: string): Promise<string> {
  const manifest = new URL(`node_modules/${name}/package.json`, import.meta.url);
  return (await readManifest(manifest)).version;
}

/**
 * A package from `bench/node_modules`, or the part of it at `subpath`. The name is in a variable, so
 * that the type check and knip pass where bench/node_modules is not installed.
 */
export async function importPackage(
  name: string,
  subpath?: string,
): Promise<{ readonly library: unknown; readonly version: string }> {
  turnTracingOff();
  const entry = subpath === undefined ? name : `${name}/${subpath}`;
  return { library: await import(entry), version: await versionOf(name) };
}

/** LangGraph.js from `bench/node_modules`. */
export async function loadLangGraph(): Promise<LoadedLibrary> {
  const { library, version } = await importPackage("@langchain/langgraph");
  return {
    library: library as Library,
    version: `${version} (core ${await versionOf("@langchain/core")})`,
  };
}
