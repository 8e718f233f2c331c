import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { downloadPackages } from "#cli/package/npm.ts";
import { packagesOf } from "#server/extras/find-extra.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { placeForTest } from "../support/test-scope.ts";

/** The archives of the extra's packages, as somebody carries them to a server without a connection. */
let archives: string;
beforeAll(async () => {
  archives = await mkdtemp(join(tmpdir(), "archives-"));
  const packages = packagesOf("ocr", ["eng", "deu"])!;
  await downloadPackages(
    packages.map(({ name, version }) => `${name}@${version}`),
    archives,
  );
}, 120_000);
afterAll(() => rm(archives, { recursive: true, force: true }));

async function setUp() {
  const place = await placeForTest("sqlite");
  const folder = join(place.dataDir, "extras");
  return {
    folder,
    run: async (...args: string[]) => await runCommand(place, args),
    state: async () => (await runCommandJson<{ state: string; languages: string[] }[]>(place, "extras"))[0]!,
  };
}

test("an extra is added from archives, keeps its languages when it is added again, and is removed", async () => {
  const { folder, run, state } = await setUp();
  expect((await run("extras")).out).toContain("not added: npm run cli -- add ocr");
  const added = await run("add", "ocr", "--languages", "eng,deu", "--from", archives);
  expect(added.code, added.err).toBe(0);
  expect(await state()).toMatchObject({ state: "ready", languages: ["eng", "deu"] });
  // Only what is used of 140 MB.
  expect((await readdir(join(folder, "ocr"))).toSorted()).toEqual([
    "LICENSE",
    "core.cjs",
    "core.wasm",
    "deu.traineddata.gz",
    "eng.traineddata.gz",
    "extra.json",
  ]);
  // As after an update of Parlance with another list.
  const record = join(folder, "ocr", "extra.json");
  await writeFile(record, (await readFile(record, "utf8")).replace(/"pinned":"\w/, '"pinned":"-'));
  expect((await run("extras")).out).toContain("of another version of Parlance: npm run cli -- add ocr");
  expect((await run("add", "ocr", "--from", archives)).code).toBe(0);
  expect(await state()).toMatchObject({ state: "ready", languages: ["eng", "deu"] });

  expect((await run("remove", "ocr")).code).toBe(0);
  expect(await readdir(folder)).toEqual([]);
  expect(await run("remove", "ocr")).toMatchObject({ code: 1, err: "ocr is not there.\n" });
});

test("an archive that is not the listed one is refused by its package, and what is there stays", async () => {
  const { folder, run, state } = await setUp();
  await run("add", "ocr", "--from", archives);
  const changed = join(folder, "..", "changed");
  await mkdir(changed);
  for (const name of await readdir(archives)) {
    const bytes = await readFile(join(archives, name));
    if (name.includes("core")) bytes[bytes.length - 1]! ^= 1;
    await writeFile(join(changed, name), bytes);
  }
  const refused = await run("add", "ocr", "--languages", "eng", "--from", changed);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("npm pack tesseract.js-core@7.0.0\n");
  expect(refused.err).not.toContain("@tesseract.js-data/eng");
  expect(await state()).toMatchObject({ state: "ready" });
  expect(await readdir(folder)).toEqual(["ocr"]);
});

test("wrong arguments are named, with those that there are", async () => {
  const { folder, run } = await setUp();
  expect((await run("add", "python")).err).toBe("There is no extra python. There are: ocr.\n");
  expect((await run("add", "ocr", "--languages", "eng,xx")).err).toContain('--languages: there is no "xx"');
  expect((await run("add", "ocr", "--from", join(archives, "none"))).err).toContain("--from: there is no");
  expect((await run("add", "ocr", "--from", join(folder, ".."))).err).toContain(
    "npm pack tesseract.js-core@7.0.0 ",
  );
  expect(await readdir(folder).catch(() => "none")).toBe("none");
});
