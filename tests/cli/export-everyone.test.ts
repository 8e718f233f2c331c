import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerExportManifest } from "#contract/endpoints/exports.ts";
import { runCli } from "#cli/program.ts";
import { readableText, startMailServer, type MailServer } from "#fixtures/mail/mail-server.ts";
import {
  createOwner,
  join as joinServer,
  openBrowser,
  openToEveryone,
  signIn,
  type Browser,
} from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { exportThread, importFile } from "../support/clients/transfer.ts";
import { attach, gardenPng } from "../support/data/files.ts";
import { unzipped } from "../support/data/zips.ts";
import { engines } from "../support/postgres/postgres.ts";
import { runCommand, runCommandJson } from "../support/servers/cli.ts";
import {
  newPlace,
  settingsOf,
  startTestServer,
  type ServerPlace,
  type TestServer,
} from "../support/servers/server.ts";

const secret = "correct horse battery";

describe.each(engines)("an export of everyone (%s)", (engine) => {
  let folder: string;
  let where: ServerPlace;
  let mails: MailServer;
  let server: TestServer;
  const settings = { PUBLIC_URL: "http://chat.example.com" };
  const path = (name: string) => join(folder, name);
  const start = async () => await startTestServer({ engine, place: where, settings });
  const exportsOf = async (who: Pick<Browser, "call">) =>
    (await who.call("exports.byOperator")).exports.map(({ is_of_everyone: isAll }) => isAll);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parlance-everyone-"));
    where = await newPlace(engine);
    mails = await startMailServer({});
    await writeFile(path("passphrase"), `${secret}\n`);
    server = await startTestServer({ engine, place: where });
    const owner = await openToEveryone(await createOwner(server));
    const ben = await joinServer(owner, { email: "ben@example.com" });
    const told = await sendAndWait(ben, "What Ben said");
    const picture = await attach(ben, "garden.png", gardenPng, "image/png");
    await ben.call("messages.add", {
      params: { thread_id: told.thread_id },
      body: {
        parent_id: told.reply_id,
        format: "aui/v0",
        content: { role: "user", content: [{ type: "image", image: picture.publicUrl }] },
      },
    });
    await sendAndWait(await server.anonymous(), "What a guest said");
    await sendAndWait(server.inWorkspace("org_shop"), "What a customer said");
    await server.close();
    server = await start();
    await (
      await signIn(server.url, "olga@example.com")
    ).call("mail.put", {
      body: {
        host: "127.0.0.1",
        port: mails.port,
        security: "none",
        username: null,
        sender: "chat@example.com",
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await mails.close();
    await where.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("has what each person and workspace has, encrypted, and is written while the server runs", async () => {
    const file = path("all.age");
    const made = await runCommandJson<{ exports: number }>(
      where,
      "export",
      file,
      "--everyone",
      "--passphrase-file",
      path("passphrase"),
    );
    expect(made).toMatchObject({ file, exports: 4 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const bytes = await readFile(file);
    for (const word of ["PK\u0003\u0004", "manifest.json", "ben@example.com", "What Ben said"])
      expect(bytes.includes(word)).toBe(false);

    await runCommandJson(where, "decrypt", file, path("all.zip"), "--passphrase-file", path("passphrase"));
    const files = await unzipped(await readFile(path("all.zip")));
    const manifest = JSON.parse(String(files.get("manifest.json"))) as ServerExportManifest;
    expect(manifest).toMatchObject({ format: "parlance-server-export", version: 1 });
    expect([...files.keys()].at(-1)).toBe("manifest.json");
    expect(manifest.exports.map((each) => each.file).toSorted()).toEqual(
      [...files.keys()].slice(0, -1).toSorted(),
    );
    const found = manifest.exports.map(({ email, workspace }) => email ?? workspace ?? "a guest");
    expect(found.toSorted()).toEqual(["a guest", "ben@example.com", "olga@example.com", "org_shop"]);

    // Each person's part is an export like theirs.
    const bens = manifest.exports.find(({ email }) => email === "ben@example.com")!;
    const eve = server.inNewWorkspace("eve");
    const { threads } = await importFile(eve, files.get(bens.file)!);
    expect(threads).toMatchObject([{ outcome: "added", title: "What Ben said", messages: 3, files: 1 }]);
  });

  test("is imported into another server by an administrator: each person gets theirs with an invitation", async () => {
    const other = await startTestServer({ engine });
    const owner = await createOwner(other, "owner@example.com");
    const all = async (query = "") => {
      const { status, text } = await owner.send("POST", `/v1/people/import${query}`, {
        body: (await readFile(path("all.zip"))) as unknown as string,
        headers: { "Content-Type": "application/octet-stream" },
      });
      expect(status, text).toBe(200);
      const events = text.split("\n").filter((line) => line.startsWith("data: "));
      return events.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, never>);
    };
    const ofBen = (events: Record<string, never>[]) =>
      events.find(({ type, email }) => type === "import-person" && email === "ben@example.com");
    expect(ofBen(await all("?preview=true"))).toMatchObject({ counts: { added: 1, files: 1 }, link: null });
    const events = await all();
    expect(events[0]).toMatchObject({ type: "import-start", kind: "parlance", threads: 1 });
    expect(events.at(-1)).toMatchObject({
      type: "import-end",
      added: 1,
      skipped: [{ reason: "not-yet", name: "exports of guests and backends", count: 2 }],
    });
    const browser = openBrowser(other.url);
    const invitation = String(ofBen(events)!["link"]).split("#")[1]!;
    const email = "ben@example.com";
    const made = await browser.post("accounts.signUp", { name: "Ben", email, password: secret, invitation });
    expect(made.status, made.text).toBe(200);
    const { threads } = await browser.call("threads.list");
    expect(threads).toMatchObject([{ title: "What Ben said" }]);
    const exported = await exportThread(browser, threads[0]!.id);
    expect(exported).toMatchObject({ messages: [{}, {}, {}], files: [{ name: "garden.png" }] });
    expect(ofBen(await all())).toMatchObject({ counts: { added: 0, unchanged: 1 } });
    // One person can not take the parts of others.
    expectProblem(
      await browser.send("POST", "/v1/people/import", { body: (await readFile(path("all.zip"))) as never }),
      "not-allowed",
    );
    const cut = (await readFile(path("all.zip"))).subarray(0, -10);
    expectProblem(await owner.send("POST", "/v1/people/import", { body: cut as never }), "import-damaged");
    await other.close();
  });

  test("asks for the passphrase, and takes one from the environment", async () => {
    const run = async (args: string[], answers: string[], environment: Record<string, string> = {}) => {
      const asked: string[] = [];
      let err = "";
      const code = await runCli(args, {
        folder: where.dataDir,
        environment: settingsOf(where, undefined, environment),
        askSecret: async (question) => await Promise.resolve((asked.push(question), answers.shift() ?? "")),
        out: () => {},
        err: (text) => void (err += text),
      });
      return { code, err, asked: asked.length };
    };
    const args = ["export", path("asked"), "--everyone"];
    expect(await run(args, [secret, "another passphrase"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("are different") as string,
    });
    expect(await run(args, ["short"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("at least 12 characters") as string,
    });
    expect(await run(args, [secret, secret])).toMatchObject({ code: 0, asked: 2 });
    expect(await run(["decrypt", path("asked"), path("asked.zip")], [secret])).toMatchObject({
      code: 0,
      asked: 1,
    });
    const fromEnvironment = { EXPORT_PASSPHRASE: secret };
    expect(await run(["decrypt", path("asked"), path("again.zip")], [], fromEnvironment)).toMatchObject({
      code: 0,
      asked: 0,
    });
  });

  test("is announced to each person in the settings and by e-mail, and so is that of one", async () => {
    const ben = await signIn(server.url, "ben@example.com");
    const { user_id: benId } = await ben.call("auth.me");
    const before = (await exportsOf(ben)).length;
    await runCommandJson(where, "export", path("ben.zip"), "--user", benId);
    const owner = await signIn(server.url, "olga@example.com");
    expect(await exportsOf(ben)).toEqual([false, ...Array<boolean>(before).fill(true)]);
    expect(await exportsOf(owner)).toEqual(Array<boolean>(before).fill(true));
    expect(before).toBeGreaterThan(0);
    // Users of a backend are not the operator's people, and nobody is told of what was before them.
    expect(await exportsOf(server.inWorkspace("org_shop"))).toEqual([]);
    expect(await exportsOf(await server.anonymous())).toEqual([]);
    const { entries } = await owner.call("audit.list", { query: { action: "everyone-exported" } });
    expect(entries).toHaveLength(before);
    expect(entries[0]).toMatchObject({ actor: "operator", target: null });

    const isOf = (mail: { to: string[] }, address: string) => mail.to.join().includes(address);
    const announced = () =>
      mails.received.filter((mail) => readableText(mail).includes("has exported your chats"));
    // A server that starts sends what commands left.
    await server.close();
    server = await start();
    await expect
      .poll(() => announced().filter((mail) => isOf(mail, "ben@example.com")).length, { timeout: 20_000 })
      .toBe(before + 1);
    await expect
      .poll(() => announced().filter((mail) => isOf(mail, "olga@example.com")).length, { timeout: 20_000 })
      .toBe(before);
    expect(readableText(announced()[0]!)).toContain("http://chat.example.com/settings/data");
  });

  test("leaves nothing after an error, and names the remedy", async () => {
    await truncate(path("asked"), (await stat(path("asked"))).size - 1);
    await writeFile(path("wrong"), "another passphrase\n");
    const before = (await readdir(folder)).toSorted();
    const withFile = ["--passphrase-file", path("passphrase")];
    const cases: [string[], RegExp][] = [
      [["export", path("new"), "--everyone"], /no terminal.*EXPORT_PASSPHRASE/],
      [["export", path("new"), "--everyone", "--user", "usr_0", ...withFile], /--user and --everyone/],
      [["export", path("new"), "--user", "usr_0", ...withFile], /only for --everyone/],
      [["export", path("all.zip"), "--everyone", ...withFile], /already exists/],
      [["export", path("absent/new"), "--everyone", ...withFile], /cannot be written \(ENOENT\)/],
      [["decrypt", path("absent"), path("new"), ...withFile], /There is no file/],
      [["decrypt", path("all.age"), path("all.zip"), ...withFile], /already exists/],
      [
        ["decrypt", path("all.age"), path("new"), "--passphrase-file", path("wrong")],
        /not the passphrase of/,
      ],
      [["decrypt", path("asked"), path("new"), ...withFile], /damaged or truncated/],
      [["decrypt", path("all.zip"), path("new"), ...withFile], /is not an encrypted/],
    ];
    for (const [args, expected] of cases) {
      const { code, err } = await runCommand(where, args);
      expect([args, code, err]).toEqual([args, 1, expect.stringMatching(expected) as string]);
    }
    expect((await readdir(folder)).toSorted()).toEqual(before);
  });
});
