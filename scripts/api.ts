// Writes packages/superstep/api/<entry>.api.md for every export of package.json.
// With --check it fails when a committed report no longer matches the built declarations.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import pkg from "../packages/superstep/package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");
const folder = join(root, "packages/superstep");
const reports = join(folder, "api");
const temp = join(root, "node_modules/.api");
const check = process.argv.includes("--check");
for (const dir of [reports, temp]) mkdirSync(dir, { recursive: true });

function report(entry: string, types: string): boolean {
  const name = entry === "." ? "index" : entry.slice(2).replaceAll("/", "-");
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: `${folder}/package.json`,
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: resolve(folder, types),
      compiler: { tsconfigFilePath: `${folder}/tsconfig.build.json` },
      apiReport: {
        enabled: true,
        reportFolder: reports,
        reportTempFolder: temp,
        reportFileName: name,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          // Types that only help to spell a signature may stay unnamed.
          default: { logLevel: ExtractorLogLevel.None },
        },
      },
    },
  });
  const result = Extractor.invoke(config, {
    localBuild: !check,
    messageCallback: (m) => {
      if (m.logLevel !== ExtractorLogLevel.Error) m.handled = true;
    },
  });
  console.log(`${result.apiReportChanged ? "changed" : "same   "} ${entry}`);
  if (check && result.apiReportChanged) explain(`${name}.api.md`);
  return result.succeeded;
}

function explain(file: string): void {
  console.error(`api/${file} is not what the sources export. If this is meant: npm run api`);
  const committed = join(reports, file);
  const args = ["diff", "--no-index", existsSync(committed) ? committed : "/dev/null"];
  try {
    execFileSync("git", [...args, join(temp, file)], { stdio: "inherit" });
  } catch {
    // git diff exits with 1 when files differ, which is why we are here.
  }
}

let failures = 0;
for (const [entry, target] of Object.entries(pkg.exports)) {
  if (typeof target !== "string" && !report(entry, target.types)) failures++;
}
process.exit(failures ? 1 : 0);
