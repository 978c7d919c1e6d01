// The part of the public API that the programs use, and how the two libraries are loaded.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

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
  readonly exports: { readonly ".": Readonly<Record<string, string>> };
}

const readManifest = async (file: URL | string): Promise<Manifest> =>
  JSON.parse(await readFile(file, "utf8")) as Manifest;

/** Superstep from this repository: the sources, or with `built` what `npm run build` made of them. */
export async function loadSuperstep(built: boolean): Promise<LoadedLibrary> {
  const folder = new URL("../packages/superstep/", import.meta.url);
  const manifest = await readManifest(new URL("package.json", folder));
  const condition = built ? "default" : "@superstep/source";
  const entry = manifest.exports["."][condition];
  if (entry === undefined) throw new Error(`packages/superstep exports no "${condition}"`);
  const library = (await import(new URL(entry, folder).href)) as Library;
  return { library, version: `${manifest.version} (${built ? "dist" : "src"})` };
}

/** LangGraph.js from `bench/node_modules`, with every kind of tracing off. */
export async function loadLangGraph(): Promise<LoadedLibrary> {
  for (const name of Object.keys(process.env)) {
    if (/^LANG(CHAIN|SMITH|FUSE)_/.test(name)) delete process.env[name];
  }
  process.env["LANGSMITH_TRACING"] = "false";
  process.env["LANGCHAIN_TRACING_V2"] = "false";
  // A name in a variable: the type check and knip pass where bench/node_modules is not installed.
  const name = "@langchain/langgraph";
  const require = createRequire(import.meta.url);
  const graph = await readManifest(require.resolve(`${name}/package.json`));
  const core = await readManifest(require.resolve("@langchain/core/package.json"));
  const version = `${graph.version} (core ${core.version})`;
  return { library: (await import(name)) as Library, version };
}
