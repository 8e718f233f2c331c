import { withLock } from "../runner/lock.mjs";
import { buildWeb, isWebBuilt } from "../runner/web-build.mjs";
import { checkLockfiles } from "./lockfiles.ts";
import { failedStage, passedStage, type Outcome } from "./outcome.ts";
import { installSwift } from "./swift.ts";
import { toolStage } from "./tool.ts";
import { vitestStage } from "./vitest.ts";

export type Stage = { name: string; title: string; run: () => Promise<Outcome> };

const tsc = (world: string) => ["node_modules/typescript/bin/tsc", "--project", `tsconfig.${world}.json`];

const types: Stage = {
  name: "types",
  title: "Types of the server's world, the browser's, and the tests that stand in both",
  run: () => toolStage(tsc("server"), tsc("web"), tsc("both")),
};
const lint: Stage = {
  name: "lint",
  title: "Mistakes that a linter can see",
  run: () => toolStage(["node_modules/oxlint/bin/oxlint", "--deny-warnings"]),
};
const format: Stage = {
  name: "format",
  title: "Layout (npm run format mends it)",
  run: () => toolStage(["node_modules/oxfmt/bin/oxfmt", "--check", "."]),
};
const unused: Stage = {
  name: "unused",
  title: "Files, exports and packages that nothing uses",
  run: () => toolStage(["node_modules/knip/bin/knip.js", "--no-progress"]),
};
const lockfiles: Stage = {
  name: "lockfiles",
  title: "Lockfiles: complete for every platform, tied to no host",
  run: checkLockfiles,
};
const s3: Stage = {
  name: "s3",
  title: "An S3 server for the tests, installed where nobody has to be asked",
  run: bringS3,
};
const unit: Stage = {
  name: "unit",
  title: "Units, and storage on SQLite and PostgreSQL",
  run: () => vitestStage("unit", {}),
};
const unitOnSqlite: Stage = {
  name: "unit",
  title: "Units, and storage on SQLite",
  run: () => vitestStage("unit", { PARLANCE_TEST_POSTGRES: "off", PARLANCE_TEST_S3: "off" }),
};
const build: Stage = { name: "build", title: "The web app builds", run: buildIfStale };
const e2e: Stage = {
  name: "e2e",
  title: "The whole thing in a real browser",
  run: () => vitestStage("e2e", {}),
};

const sets: Record<string, Stage[]> = {
  types: [types],
  quick: [types, lint, format, unitOnSqlite],
  everything: [types, lint, format, unused, lockfiles, s3, unit, build, e2e],
};

export function stagesOf(set: string): Stage[] {
  const stages = sets[set];
  if (!stages) throw new Error(`There is no set of stages called ${set}.`);
  return stages;
}

/** What cannot be had is left out, and said: a laptop without it is no reason for a failed run. */
function bringS3(): Promise<Outcome> {
  const swift =
    process.env.PARLANCE_TEST_S3 === "off" ? { missing: "PARLANCE_TEST_S3 is off" } : installSwift();
  if ("folder" in swift) return Promise.resolve(passedStage());
  const skip = {
    file: "tests/files, e2e",
    name: "every test of files in a bucket, here and in the browser",
    reason: swift.missing,
  };
  return Promise.resolve({ ...passedStage(), skipped: [skip] });
}

async function buildIfStale(): Promise<Outcome> {
  if (isWebBuilt()) return passedStage();
  try {
    await withLock(() => buildWeb(process.execPath));
    return passedStage();
  } catch (error) {
    return failedStage(error instanceof Error ? error.message : String(error));
  }
}
