import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "vite";

/** One module that a file names: `type` imports are erased, `dynamic` ones load when called. */
export interface Import {
  readonly specifier: string;
  readonly kind: "static" | "type" | "dynamic";
  readonly line: number;
}

function kindOf(word: string | undefined): Import["kind"] {
  return word === "type" ? "type" : "static";
}

/** Every import, re-export, `import()` and `import("...").Type` of a source file. */
export function importsOf(file: string): readonly Import[] {
  const code = readFileSync(file, "utf8");
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Import[] = [];
  const add = (source: unknown, kind: Import["kind"], start: number): void => {
    const line = code.slice(0, start).split("\n").length;
    const specifier = (source as { value?: unknown } | null)?.value;
    if (typeof specifier === "string") found.push({ specifier, kind, line });
    // Layers cannot be checked for a name that is computed; the command line loads the files of users.
    else if (kind === "dynamic" && !file.endsWith("cli/load.ts")) {
      throw new Error(`${file}:${line}: import() takes a literal here`);
    }
  };
  new Visitor({
    ImportDeclaration: (n) => add(n.source, kindOf(n.importKind), n.start),
    ExportNamedDeclaration: (n) => add(n.source, kindOf(n.exportKind), n.start),
    ExportAllDeclaration: (n) => add(n.source, kindOf(n.exportKind), n.start),
    ImportExpression: (n) => add(n.source, "dynamic", n.start),
    TSImportType: (n) => add(n.source, "type", n.start),
  }).visit(program);
  return found;
}
