import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { createOwner, openBrowser, password, type Browser } from "../support/clients/browser.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { startOddBucket } from "../support/s3/odd-bucket.ts";
import { runCommand } from "../support/servers/cli.ts";
import { describeServer, startTestServer, test } from "../support/servers/server.ts";
import { freshBucket, stores } from "../support/servers/stores.ts";
import { placeForTest } from "../support/test-scope.ts";
import { backUpNow, inBucket, inFolder, newFolder, passphrase } from "./backup-place.ts";

const dayMs = 86_400_000;
const anotherSecret = "another secret that is long enough to be one";

describeServer("backups on a schedule", {}, (server, engine) => {
  let olga: Browser;
  const folders: string[] = [];
  const freshFolder = async () => {
    const folder = await newFolder();
    folders.push(folder);
    return folder;
  };
  beforeAll(async () => void (olga = await createOwner(server())));
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  test("have everything, also secrets, and are restored by a command with the passphrase alone", async () => {
    const service = await startModelServer({ apiKey: "sk-very-secret-4321" });
    const body = { kind: "openai-compatible", name: "Kept", base_url: service.url } as const;
    await olga.call("providers.create", { body: { ...body, api_key: "sk-very-secret-4321" } });
    const { thread_id } = await sendAndWait(olga, "Hello tokens=3");
    // A real bucket with one engine, a folder with the other one.
    const isInBucket = engine === "postgres" && stores.includes("s3");
    const folder = await freshFolder();
    const s3 = isInBucket ? await freshBucket() : undefined;
    const bucket =
      s3 === undefined
        ? null
        : {
            endpoint: s3.endpoint,
            bucket: s3.bucket,
            region: s3.region,
            style: s3.style,
            access_key_id: s3.accessKeyId,
            secret_access_key: s3.secretAccessKey,
          };
    const target = isInBucket ? { folder: null, bucket } : { folder, bucket: null };
    await olga.call("backups.put", { body: { ...inFolder(folder), target } });
    expect((await backUpNow(olga)).last_failure).toBeNull();
    const { backups } = await olga.call("backups.list");
    expect(backups).toMatchObject([{ is_own: true }]);
    const name = backups[0]!.name;

    const there = await placeForTest(engine);
    const settings: Record<string, string> = {
      PARLANCE_SECRET: anotherSecret,
      ...(s3 === undefined
        ? { BACKUP_FOLDER: folder }
        : {
            BACKUP_S3_ENDPOINT: s3.endpoint,
            BACKUP_S3_BUCKET: s3.bucket,
            BACKUP_S3_REGION: s3.region,
            BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
            BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
          }),
    };
    const file = join(there.dataDir, "passphrase");
    await writeFile(file, "wrong horse battery staple\n");
    const restore = async (...args: string[]) => await runCommand(there, ["restore", ...args], settings);
    expect(await restore("latest", "--passphrase-file", file)).toMatchObject({
      code: 1,
      err: `This is not the passphrase of ${name}. Nothing was changed.\n`,
    });
    expect((await restore("latest")).err).toContain("The backup is encrypted.");
    await writeFile(file, `${passphrase}\n`);
    expect(await restore(name, "--passphrase-file", file)).toMatchObject({ code: 0, err: "" });

    const restored = await startTestServer({
      engine,
      place: there,
      settings: { PARLANCE_SECRET: anotherSecret },
    });
    const browser = openBrowser(restored.url);
    const signedIn = await browser.post("accounts.signIn", { email: "olga@example.com", password });
    expect(signedIn.status).toBe(200);
    const { providers } = await browser.call("providers.list");
    expect(providers.map(({ state, key_last_four: end }) => [state, end])).toEqual([["ready", "4321"]]);
    expect((await browser.call("threads.get", { params: { thread_id } })).thread.id).toBe(thread_id);
    // The schedule came along, with its passphrase.
    expect(await browser.call("backups.get")).toMatchObject({
      settings: { has_passphrase: true, keep_days: 2 },
      last_success: null,
    });
    await restored.close();
    await service.close();
  });

  test("are made every day, and removed when they are too old, but not those of other servers", async () => {
    const folder = await freshFolder();
    const foreign = "parlance-ffffffff-20200101t031500000z.age";
    await writeFile(join(folder, foreign), "of another server");
    await writeFile(join(folder, "notes.txt"), "of somebody");
    await olga.call("backups.put", { body: inFolder(folder) });
    const names = async () => (await olga.call("backups.list")).backups.map(({ name }) => name);
    const made: string[] = [];
    for (let day = 0; day < 4; day++) {
      server().clock.advance(dayMs);
      await expect
        .poll(async () => (await names()).filter((name) => name !== foreign && !made.includes(name)).length, {
          timeout: 30_000,
        })
        .toBe(1);
      await expect
        .poll(async () => (await olga.call("backups.get")).is_running, { timeout: 30_000 })
        .toBe(false);
      made.push((await names())[0]!);
    }
    expect(await names()).toEqual([made[3], made[2], foreign]);
    expect(new Set(await readdir(folder))).toEqual(
      new Set([".unfinished", "notes.txt", foreign, made[2], made[3]]),
    );
    expect(await readdir(join(folder, ".unfinished"))).toEqual([]);
  });

  test("that fail keep the older ones, say why, are tried again, and are announced", async () => {
    const bucket = await startOddBucket();
    const body = inFolder("/");
    await olga.call("backups.put", {
      body: { ...body, target: { folder: null, bucket: inBucket(bucket.endpoint) } },
    });
    expect(await backUpNow(olga)).toMatchObject({ failures: 0 });
    const good = bucket.names();
    expect(good).toHaveLength(1);
    server().clock.advance(3 * dayMs);
    for (const [oddity, problem] of [
      ["half", "target-damaged"],
      ["changed", "target-damaged"],
      ["full", "target-full"],
    ] as const) {
      bucket.become(oddity);
      const { last_failure: failure } = await backUpNow(olga);
      expect(failure).toMatchObject({ problem });
      expect(bucket.names(), oddity).toEqual(good);
    }
    expect((await olga.call("backups.get")).failures).toBeGreaterThanOrEqual(3);
    server().log.takeErrors();
    bucket.become("none");
    // Without anybody who asks for it.
    server().clock.advance(7 * 3_600_000);
    await expect.poll(async () => (await olga.call("backups.get")).failures, { timeout: 30_000 }).toBe(0);
    expect(bucket.names()).toHaveLength(1);
    expect(bucket.names()).not.toEqual(good);
    await bucket.close();
  });

  test("tell webhooks and the health page of a folder that is gone, and that it is back", async () => {
    const folder = await freshFolder();
    await olga.call("backups.put", { body: inFolder(folder) });
    const { apps } = await olga.call("console.apps");
    // Each hears of one backup: without a secret, the first delivery switches it off.
    const addWebhook = async (id: string) =>
      await rawSql(server().place, async (run) =>
        run(
          `insert into webhooks (id, app_id, url, events, created_at)
           values ('${id}', '${apps[0]!.id}', 'http://127.0.0.1:9/', '["backup.failed","backup.made"]', 0)`,
        ),
      );
    await addWebhook("hook_one");
    await rename(folder, `${folder}-away`);
    const { last_failure: failure } = await backUpNow(olga);
    expect(failure).toMatchObject({
      problem: "target-unusable",
      text: expect.stringContaining(folder) as string,
    });
    expect((await olga.call("health.report")).backups).toMatchObject({ failures: 1, last_failure: failure });
    await rename(`${folder}-away`, folder);
    await addWebhook("hook_two");
    await backUpNow(olga);
    expect((await olga.call("health.report")).backups).toMatchObject({ failures: 0 });
    const sent = await rawSql(server().place, async (run) =>
      run("select webhook_id, type from webhook_deliveries order by position"),
    );
    const typesOf = (id: string) => sent.filter((row) => row["webhook_id"] === id).map(({ type }) => type);
    expect(typesOf("hook_one")[0]).toBe("backup.failed");
    expect(typesOf("hook_two")).toEqual(["backup.made"]);
    await rawSql(server().place, async (run) => run("delete from webhooks"));
    server().log.takeErrors();
  });

  test("refuse a place that cannot be used, a short passphrase, and a bucket whose secret is missing", async () => {
    const folder = await freshFolder();
    const put = async (body: object) =>
      await olga.ask("backups.put", { body: { ...inFolder(folder), ...body } });
    const nowhere = await put({ target: { folder: join(folder, "nowhere"), bucket: null } });
    expect(nowhere.text).toContain("Create it, or mount its disk.");
    expect(nowhere.status).toBe(409);
    const { secret_access_key: _, ...bucket } = inBucket("http://127.0.0.1:9");
    expect((await put({ target: { folder: null, bucket } })).text).toContain("secret_access_key");
    expect((await put({ passphrase: "too short" })).text).toContain("body.passphrase");
    expect((await put({ target: { folder: null, bucket: null } })).text).toContain("body.target");
    expect((await put({ target: { folder: "relative", bucket: null } })).text).toContain("absolute path");
    expect((await put({ time: "25:00" })).text).toContain("03:15");
  });

  test("are for the owner alone", async ({ ada }) => {
    for (const somebody of [ada, server().guest])
      for (const name of ["backups.get", "backups.list", "restores.list"] as const)
        expect(
          (await somebody.ask(name, name === "restores.list" ? { body: { target: null } } : {})).status,
        ).not.toBe(200);
    expect((await olga.ask("restores.list", { body: { target: null } })).body).toMatchObject({
      code: "server-not-empty",
    });
  });

  test("that were damaged later are not restored", async () => {
    const folder = await freshFolder();
    await olga.call("backups.put", { body: inFolder(folder) });
    await backUpNow(olga);
    const { name } = (await olga.call("backups.list")).backups[0]!;
    const path = join(folder, name);
    const bytes = await readFile(path);
    const there = await placeForTest(engine);
    const settings = { BACKUP_PASSPHRASE: passphrase, BACKUP_FOLDER: folder };
    for (const damaged of [bytes.subarray(0, -1), Buffer.concat([bytes, bytes.subarray(-50)])]) {
      await writeFile(path, damaged);
      const { code, err } = await runCommand(there, ["restore", path], settings);
      expect([code, err]).toEqual([1, expect.stringContaining("is damaged or truncated")]);
    }
    await writeFile(path, bytes);
    expect(await runCommand(there, ["backup", "--verify", "latest"], settings)).toMatchObject({
      code: 0,
      err: "",
    });
    expect(await runCommand(there, ["restore", "latest"], settings)).toMatchObject({ code: 0 });
  });
});
