import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOwner, signIn } from "../support/clients/browser.ts";
import { writeWebUi } from "../support/data/webui-db.ts";
import { exportThread } from "../support/clients/transfer.ts";
import { attach, gardenPng, open } from "../support/data/files.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { newPlace, startTestServer, type ServerPlace } from "../support/servers/server.ts";
import { sendAndWait } from "../support/clients/conversation.ts";

describe.each(engines)("an operator (%s)", (engine) => {
  let folder: string;
  let where: ServerPlace;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parlance-carry-"));
    where = await newPlace(engine);
  });
  afterAll(async () => {
    await where.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("copies the data of a workspace and of a visitor to others, once each", async () => {
    const server = await startTestServer({ engine, place: where });
    const dan = await server.anonymous("dan");
    const { user_id: danId } = await dan.call("auth.me");
    const picture = await attach(dan, "garden.png", gardenPng, "image/png");
    const told = await sendAndWait(dan, "What Dan said");
    const content = { role: "user", content: [{ type: "image", image: picture.publicUrl }] };
    await dan.call("messages.add", {
      params: { thread_id: told.thread_id },
      body: { parent_id: told.reply_id, format: "aui/v0", content },
    });
    const before = await exportThread(dan, told.thread_id);
    const zip = join(folder, "dan.zip");
    // While the server runs.
    expect(await runCommandJson(where, "export", zip, "--user", danId)).toMatchObject({ file: zip });
    expect(await readdir(folder)).toEqual(["dan.zip"]);
    await server.close();

    const into = async () =>
      await runCommandJson<Record<string, unknown>>(where, "import", zip, "--workspace", "org_new");
    expect(await into()).toMatchObject({ added: 1, refused: 0, files: 1, missing_files: 0 });
    expect(await into()).toMatchObject({ added: 0, unchanged: 1 });
    expect(await runCommandJson(where, "import", zip, "--user", danId)).toMatchObject({ unchanged: 1 });

    const again = await startTestServer({ engine, place: where });
    const ada = again.inWorkspace("org_new");
    const { threads } = await ada.call("threads.list");
    expect(threads).toMatchObject([{ title: before.thread.title }]);
    const after = await exportThread(ada, threads[0]!.id);
    // Without PUBLIC_URL the URLs of files are paths, which the web app can read.
    const own = after.files![0]!.id;
    const withHisId = JSON.stringify(after.messages.map((message) => message.content)).replace(
      new RegExp(`"/v1/content/${own}/\\w+\\.png"`),
      JSON.stringify(picture.publicUrl),
    );
    expect(withHisId).toBe(JSON.stringify(before.messages.map((message) => message.content)));
    const shown = await open(`${again.url}/v1/files/${own}/content`, ada.headers);
    expect(shown.bytes.equals(gardenPng)).toBe(true);
    await again.close();
  });

  test("gets an error for a wrong command, and nothing is written", async () => {
    const file = join(folder, "not-an-export");
    await writeFile(file, "Dear diary");
    const cases: [string[], RegExp][] = [
      [["export", join(folder, "new.zip")], /--user.*--workspace/],
      [["export", join(folder, "new.zip"), "--user", "usr_nobody"], /no user "usr_nobody"/],
      [["export", join(folder, "new.zip"), "--workspace", "org_none"], /no workspace "org_none"/],
      [["export", file, "--workspace", "org_new"], /already exists/],
      [["import", join(folder, "absent.zip"), "--workspace", "org_new"], /There is no file/],
      [["import", file, "--workspace", "org_new"], /isn’t a supported export/],
    ];
    for (const [args, expected] of cases) {
      const { code, err } = await runCommand(where, args);
      expect([code, err]).toEqual([1, expect.stringMatching(expected) as string]);
    }
    expect(await readFile(file, "utf8")).toBe("Dear diary");
    expect((await readdir(folder)).toSorted()).toEqual(["dan.zip", "not-an-export"]);
  });

  test("imports everybody of another server, with the owner's invitations", async () => {
    const file = join(folder, "webui.db");
    writeWebUi(file, (database) => {
      database.person("u1", "Ben", "ben@office.example");
      database.chat("u1", "bens");
    });
    const early = await runCommand(where, ["import", file, "--everyone"]);
    expect(early.err).toContain("the owner has no account yet");
    const server = await startTestServer({ engine, place: where });
    await createOwner(server);
    await server.close();

    type Result = { added: number; people: { email: string; outcome: string; link: string | null }[] };
    const run = async (...more: string[]) =>
      await runCommandJson<Result>(where, "import", file, "--everyone", ...more);
    expect(await run("--preview")).toMatchObject({ added: 1, people: [{ outcome: "invited", link: null }] });
    const { added, people: imported } = await run();
    expect(added).toBe(1);
    expect(await run()).toMatchObject({ added: 0, unchanged: 1 });
    const both = await runCommand(where, ["import", file, "--everyone", "--user", "usr_0"]);
    expect(both.err).toContain("leave out --user");

    const again = await startTestServer({ engine, place: where });
    const back = await signIn(again.url, "olga@example.com");
    expect((await back.call("preparedPeople.list")).people).toMatchObject([
      { email: "ben@office.example", threads: 1 },
    ]);
    const { entries } = await back.call("audit.list", { query: { action: "content-imported" } });
    expect(entries[0]).toMatchObject({
      actor: "operator",
      details: { kind: "open-webui", people: 1 },
    });
    expect(imported[0]!.link).toContain("/invite#invite_0");
    await again.close();
  });
});
