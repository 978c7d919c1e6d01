// Fails when a source folder imports a folder that its layer may not see.
import { globSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { importsOf } from "./imports.ts";

const src = join(import.meta.dirname, "../packages/superstep/src");

const values = ["errors", "ids", "json", "channels", "schema"];
const services = [...values, "checkpoint", "stream", "runnable"];
const parts = ["errors", "ids", "json", "channels", "schema", "stream", "message"];
const agents = [...services, "engine", "graph", "message", "model", "tool", "agent"];
const edges = ["legacy", "mcp", "ui", "ag-ui", "otel", "langchain", "node", "testing", "trace"];
const drivers = ["sqlite", "postgres"];

// Each row: a folder and what it may import beside itself. Files directly in src are entries and
// see everything.
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  ids: ["errors"],
  json: ["errors", "ids"],
  channels: ["errors", "ids", "json"],
  schema: ["errors", "ids", "json"],
  checkpoint: values,
  stream: values,
  runnable: values,
  engine: services,
  graph: [...services, "engine"],
  message: [...values, "stream"],
  model: parts,
  tool: parts,
  agent: agents,
  ...Object.fromEntries(edges.map((edge) => [edge, agents])),
  ...Object.fromEntries(drivers.map((d) => [d, ["errors", "ids", "json", "checkpoint"]])),
  cli: [...agents, ...edges, ...drivers],
};

let broken = 0;
function fail(where: string, what: string): void {
  console.error(`${where}: ${what}`);
  broken++;
}

for (const file of globSync(`${src}/**/*.ts`)) {
  const path = relative(src, file);
  const [layer = "", ...rest] = path.split(sep);
  const allowed = rest.length === 0 ? undefined : mayImport[layer];
  if (rest.length > 0 && !allowed) fail(path, `folder ${layer} is not in the layer table`);
  for (const { specifier, line } of importsOf(file)) {
    if (/^superstep(\/|$)/.test(specifier)) fail(`${path}:${line}`, "imports its own package");
    if (!specifier.startsWith(".")) continue;
    const [target = "", ...inside] = relative(src, join(dirname(file), specifier)).split(sep);
    if (target === "..") fail(`${path}:${line}`, `${specifier} leaves src`);
    else if (inside.length > 0 && !(target in mayImport)) {
      fail(`${path}:${line}`, `folder ${target} is not in the layer table`);
    } else if (allowed && target !== layer && !allowed.includes(target)) {
      fail(`${path}:${line}`, `${layer} may not import ${target} (${specifier})`);
    }
  }
}
process.exit(broken ? 1 : 0);
