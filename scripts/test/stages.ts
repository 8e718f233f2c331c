import { existsSync } from "node:fs";
import { withLock } from "../runner/lock.mjs";
import { buildWeb, isWebBuilt } from "../runner/web-build.mjs";
import { checkLockfiles } from "./lockfiles.ts";
import { failedStage, passedStage, type Outcome, type Skip } from "./outcome.ts";
import { installPackages } from "./debian-packages.ts";
import { installSwift } from "./swift.ts";
import { toolStage } from "./tool.ts";
import { vitestStage } from "./vitest.ts";

export type Stage = {
  name: string;
  title: string;
  /** Whether it starts at once, beside the stages before it. Such a stage prints nothing. */
  startsFirst?: true;
  run: () => Promise<Outcome>;
};

/** One thread for each project: with more, the compiler checks shared types several times. */
const tsc = (project: string) => [
  "node_modules/typescript/bin/tsc",
  "--singleThreaded",
  "--project",
  `tsconfig.${project}.json`,
];

const types: Stage = {
  name: "types",
  title: "Types: server, browser, and tests for both",
  run: () => toolStage(tsc("server"), tsc("web"), tsc("both")),
};
const lint: Stage = {
  name: "lint",
  title: "Lint",
  run: () => toolStage(["node_modules/oxlint/bin/oxlint", "--deny-warnings"]),
};
const format: Stage = {
  name: "format",
  title: "Format (node scripts/run.mjs format fixes it)",
  run: () => toolStage(["node_modules/oxfmt/bin/oxfmt", "--check", "."]),
};
const unused: Stage = {
  name: "unused",
  title: "Unused files, exports and packages",
  run: () => toolStage(["node_modules/knip/bin/knip.js", "--no-progress"]),
};
const lockfiles: Stage = {
  name: "lockfiles",
  title: "Lockfiles: complete for every platform, without registry URLs",
  run: checkLockfiles,
};
const programs: Stage = {
  name: "programs",
  title: "Swift, proxies, OpenLDAP and Buildah for the tests, installed on Debian as root",
  startsFirst: true,
  run: installPrograms,
};
const unit: Stage = {
  name: "unit",
  title: "Unit tests, on SQLite and PostgreSQL",
  run: () => vitestStage("unit"),
};
/** Tests beside the code, and the server's own that do not start or kill other processes, for at most two minutes. */
const quickTests = [
  "contract/",
  "storage/",
  "server/",
  "web/",
  "fixtures/",
  "scripts/",
  "tests/house.test.ts",
].concat(
  ["assistants", "sign-in", "endpoints", "http", "models", "search", "threads"].map(
    (module) => `tests/${module}/`,
  ),
);
/** Each takes 7 s or more. `npm test` runs them. */
const slowTests = [
  "server/pdf/pdf.test.ts",
  "storage/log/crashes.test.ts",
  "tests/sign-in/provider-keys.test.ts",
  "tests/http/bodies.test.ts",
  "tests/http/hostile-bodies.test.ts",
  "tests/models/misbehaviours.test.ts",
  "tests/search/files.test.ts",
];
const quickUnit: Stage = {
  name: "unit",
  title: "Unit tests and tests of the endpoints, on SQLite",
  run: () =>
    vitestStage("unit", { PARLANCE_TEST_POSTGRES: "off", PARLANCE_TEST_S3: "off" }, [
      ...quickTests,
      ...slowTests.map((files) => `--exclude=${files}`),
    ]),
};
const build: Stage = { name: "build", title: "Web build", run: buildIfStale };
const packages: Stage = {
  name: "package",
  title: "The package, image and service, installed and started as a stranger would",
  run: () => vitestStage("package"),
};
const e2e: Stage = {
  name: "e2e",
  title: "End-to-end tests in a real browser",
  run: () => vitestStage("e2e"),
};

const sets: Record<string, Stage[]> = {
  types: [types],
  quick: [types, lint, format, quickUnit],
  everything: [types, lint, format, unused, lockfiles, programs, unit, build, packages, e2e],
};

export function stagesOf(set: string): Stage[] {
  const stages = sets[set];
  if (!stages) throw new Error(`There is no set of stages named ${set}.`);
  return stages;
}

/** Tests of programs that cannot be installed are skipped and reported, not failed. */
async function installPrograms(): Promise<Outcome> {
  const needed = ["nginx", "pgbouncer", "caddy", "buildah", "debootstrap"];
  const absent = needed.filter((name) => ["bin", "sbin"].every((at) => !existsSync(`/usr/${at}/${name}`)));
  if (absent.length > 0) await installPackages(absent);
  const hasSlapd = () => existsSync("/usr/sbin/slapd");
  const failure = hasSlapd() ? undefined : await installPackages(["slapd", "openssl"]);
  const skipped: Skip[] = [];
  if (!hasSlapd())
    skipped.push({
      file: "tests/accounts, e2e",
      name: "every test of a directory (LDAP)",
      reason: failure ?? "slapd is not installed: apt-get install --no-install-recommends slapd",
    });
  const swift =
    process.env.PARLANCE_TEST_S3 === "off" ? { missing: "PARLANCE_TEST_S3 is off" } : await installSwift();
  if ("missing" in swift)
    skipped.push({
      file: "tests/files, e2e",
      name: "every test of files in a bucket, here and in the browser",
      reason: swift.missing,
    });
  return { ...passedStage(), skipped };
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
