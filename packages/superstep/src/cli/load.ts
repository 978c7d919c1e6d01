import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { listNames } from "../errors/describe.ts";
import { errorMessage, SuperstepError } from "../errors/errors.ts";
import type { CompiledStateGraph } from "../graph/compiled.ts";

/** Any graph: the command line knows nothing of its state. */
export type AnyGraph = CompiledStateGraph<Readonly<Record<string, unknown>>, object>;

const names = ["default", "agent", "graph"] as const;

/**
 * The graph that a file exports as default, `agent` or `graph`: itself, or a function or a promise
 * that gives it. Throws `INVALID_USER_FILE`, and errors of this package that the file throws.
 */
export async function loadGraph(file: string): Promise<AnyGraph> {
  const path = resolve(file);
  if (!existsSync(path)) throw invalid(file, "there is no such file", "Give the path of a file.");
  const exported = await load(file, path);
  for (const name of names) if (isGraph(exported[name])) return exported[name];
  const others: string[] = [];
  for (const name of names) {
    const value = await given(file, name, exported[name]);
    if (isGraph(value)) return value;
    if (value !== undefined) {
      others.push(isBuilder(value) ? `"${name}" is not compiled` : `"${name}" is no graph`);
    }
  }
  const found = Object.keys(exported);
  const all = found.length === 0 ? "it exports nothing" : `it exports ${listNames(found)}`;
  const exports = others.length > 0 ? others.join(", ") : all;
  throw invalid(
    file,
    `no agent or graph is exported as default, "agent" or "graph": ${exports}`,
    others.some((each) => each.endsWith("not compiled"))
      ? "Export what .compile() gives."
      : "Export what createAgent, createReactAgent or compile() gives: export const agent = createAgent(...).",
  );
}

async function load(file: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SuperstepError) throw error;
    const isCommonJs = /import statement outside a module|Unexpected token 'export'/.test(
      errorMessage(error),
    );
    const fix = isCommonJs
      ? 'Set "type": "module" in the nearest package.json, or name the file .mts or .mjs.'
      : "Run the file with node to see more, or add --verbose.";
    throw invalid(file, `it cannot be loaded: ${errorMessage(error)}`, fix, error);
  }
}

/** What an export is, or gives when it is a function or a promise. */
async function given(file: string, name: string, value: unknown): Promise<unknown> {
  try {
    return await (typeof value === "function" ? (value as () => unknown)() : value);
  } catch (error) {
    if (error instanceof SuperstepError) throw error;
    const problem = `its export "${name}" gives no graph: ${errorMessage(error)}`;
    throw invalid(
      file,
      problem,
      "Export the graph itself, or a function without arguments.",
      error,
    );
  }
}

function isBuilder(value: unknown): boolean {
  return typeof (value as { readonly compile?: unknown } | null)?.compile === "function";
}

function isGraph(value: unknown): value is AnyGraph {
  const { stream, getGraph } = (value ?? {}) as Partial<Record<"stream" | "getGraph", unknown>>;
  return typeof stream === "function" && typeof getGraph === "function";
}

function invalid(file: string, problem: string, fix: string, cause?: unknown): SuperstepError {
  const details = cause === undefined ? { fix } : { fix, cause };
  return new SuperstepError("INVALID_USER_FILE", `${file}: ${problem}.`, details);
}
