import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readConfig } from "#server/settings/settings.ts";
import { freePort } from "./support/postgres/postgres-cluster.ts";
import { engines, freshDatabaseUrl } from "./support/postgres/postgres.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = await readFile(join(root, "docs", "scaling-out.md"), "utf8");

/** The commands on the page and their expected output (`#> …`), in order. */
function commandsOf(text: string): { script: string; expected: string[] } {
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
  const script = blocks.join("\n");
  return { script, expected: [...script.matchAll(/^ *#> (.*)$/gm)].map(([, words]) => words!) };
}

async function onFreePorts(script: string): Promise<string> {
  let moved = script;
  for (const port of ["3001", "3002", "3003", "8080", "9999"])
    moved = moved.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await freePort()));
  return moved;
}

/**
 * A folder with a `node` that cannot run TypeScript, like Node 20. The page must start the servers with the Node that
 * Parlance chooses.
 */
async function folderOfOldNode(folder: string): Promise<string> {
  const script = `#!/bin/sh
case "$1" in *.ts) echo "Unknown file extension .ts: $1" >&2; exit 1;; esac
exec "${process.execPath}" "$@"
`;
  await writeFile(join(folder, "node"), script, { mode: 0o755 });
  return folder;
}

/** 3 minutes: eight server starts and an expiring lease, on a busy machine. */
const timeout = 180_000;

test.runIf(engines.includes("postgres"))(
  "the commands in docs/scaling-out.md work as described",
  { timeout },
  async () => {
    const { script, expected } = commandsOf(page);
    expect(expected.length).toBeGreaterThan(4);
    const database = await freshDatabaseUrl();
    const dataDir = await mkdtemp(join(tmpdir(), "parlance-test-"));
    // Its files are in a temporary folder, and its process group is killed at the end.
    const before = `set -u; trap 'kill $(jobs -p) 2>/dev/null' EXIT\n`;
    const moved = (await onFreePorts(script)).replaceAll("followed.txt", join(dataDir, "followed.txt"));
    const bash = spawn("bash", ["-c", before + moved], {
      cwd: root,
      env: {
        PATH: (await folderOfOldNode(dataDir)) + delimiter + process.env.PATH,
        HOME: dataDir,
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        LOG_LEVEL: "error",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [bash.stdout, bash.stderr]) stream.on("data", (text) => (printed += String(text)));
    try {
      await new Promise((resolve) => bash.once("close", resolve));
      let from = 0;
      for (const words of expected) {
        const at = printed.indexOf(words, from);
        expect(at, `"${words}" is printed, in its turn, in:\n${printed}`).toBeGreaterThanOrEqual(0);
        from = at + words.length;
      }
    } finally {
      bash.kill("SIGKILL");
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
);

const nginxConfig = /^```nginx\n([^]*?)^```$/m.exec(page)![1]!;

test("nginx as on the page accepts the largest file and the largest import of the default settings", () => {
  const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(nginxConfig)!;
  const { files, importBytes } = readConfig(tmpdir(), {});
  expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThanOrEqual(Math.max(files.maxBytes, importBytes));
});

const hasNginx = spawnSync("nginx", ["-v"]).error === undefined;

test.skipIf(!hasNginx)(
  "nginx accepts the configuration on the page (skipped where nginx is missing)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "parlance-nginx-"));
    const path = join(folder, "nginx.conf");
    await writeFile(path, `pid ${folder}/pid;\nevents {}\nhttp {\n${nginxConfig}}\n`);
    const { status, stderr } = spawnSync("nginx", ["-t", "-q", "-p", folder, "-c", path], {
      encoding: "utf8",
    });
    await rm(folder, { recursive: true });
    expect([status, stderr]).toEqual([0, ""]);
  },
);
