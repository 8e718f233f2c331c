import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limits } from "#contract/limits.ts";
import { attach, open, requestUpload, put, type UploadTarget } from "../support/data/files.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { rawSql } from "../support/postgres/raw-sql.ts";
import { describeServer } from "../support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "../support/servers/stores.ts";
import { bearer, newAddress, signUp, visitor } from "../support/clients/visitor.ts";

const MiB = 1024 * 1024;

/** The answer to an upload whose bytes never end. */
async function endless(url: string, bytes: Uint8Array): Promise<Response> {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
  return await fetch(url, { method: "PUT", body, duplex: "half" });
}

describe.for(stores)("the storage quota on %s", async (store) => {
  const settings = { FILE_SIZE_MIB: "1", FILES_PER_PERSON_MIB: "3", ...(await storeSettings(store)) };

  describeServer("a file", { on: enginesWith(store), settings }, (server) => {
    const declared = MiB - 100;
    const promiseDeclared = async (who = server().inNewWorkspace()): Promise<UploadTarget> =>
      await requestUpload(who, { filename: "a.bin", content_length: declared });

    test("that exceeds it after its upload gets an error when it is requested", async () => {
      const ada = server().inNewWorkspace(`ada_in_full_${store}`);
      const all = [];
      for (let i = 0; i < 4; i++) all.push(await promiseDeclared(ada));
      const last = all.at(-1)!;
      const sent = [];
      for (const { signedUrl } of all) {
        sent.push(await put(signedUrl, randomBytes(declared)));
        if (store === "s3" && sent.length < 4)
          await ada.call("files.get", { params: { file_id: all[sent.length - 1]!.file_id } });
      }
      const told = await ada.ask("files.get", { params: { file_id: last.file_id } });
      if (store === "s3") expectProblem(told, "quota-full");
      else expect(sent.at(-1)?.status).toBe(413);
      await ada.fails("file-not-found", "files.get", { params: { file_id: last.file_id } });
      expect((await open(last.publicUrl)).status).toBe(404);
      expect((await open(all[2]!.publicUrl)).status).toBe(200);
    });

    test("without a declared size is cut off at the quota", async () => {
      const ada = server().inNewWorkspace(`ada_in_pieces_${store}`);
      for (const name of ["1", "2"]) await attach(ada, name, randomBytes(MiB));
      await attach(ada, "3", randomBytes(MiB / 2));
      const { signedUrl, publicUrl } = await requestUpload(ada, { filename: "4" });
      const refused = await endless(signedUrl, randomBytes(MiB / 2 + 1));
      expect([refused.status, await refused.json()]).toMatchObject([413, { code: "quota-full" }]);
      expect((await open(publicUrl)).status).toBe(404);
      expect((await put(signedUrl, randomBytes(MiB / 2))).status).toBe(200);
    });

    test("without bytes counts too, because the number of files is limited", async () => {
      const ada = server().inNewWorkspace(`ada_of_many_${store}`);
      const first = await attach(ada, "first", Buffer.alloc(0));
      await rawSql(server().place, async (run) => {
        const columns =
          "app_id, workspace_id, created_by, name, secret, declared_type, declared_bytes, type, size_bytes, blob_key, created_at, stored_at, claimed_at, released_at";
        await run(`insert into files (id, ${columns})
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${limits.filesPerPerson})
          select id || '_' || n, ${columns} from files, numbers where id = '${first.file_id}'`);
      });
      await ada.fails("quota-full", "files.upload", { body: { filename: "last" } });
    });

    test("without a declared size is cut off at the limit of a file", async () => {
      const { signedUrl } = await requestUpload(server().inNewWorkspace(`ada_at_length_${store}`), {
        filename: "a",
      });
      const refused = await endless(signedUrl, randomBytes(MiB + 1));
      expect([refused.status, await refused.json()]).toMatchObject([413, { code: "file-too-large" }]);
    });

    test("counts with the person's concurrent uploads in all workspaces", async () => {
      const name = `ada_everywhere_${store}`;
      const workspaces = Array.from({ length: 6 }, () => server().inNewWorkspace(name));
      const promised = [];
      for (const who of workspaces) promised.push(await requestUpload(who, { filename: "a.bin" }));
      await Promise.all(promised.map(async ({ signedUrl }) => await put(signedUrl, randomBytes(declared))));
      const there = [];
      for (const { publicUrl } of promised) there.push((await open(publicUrl)).status);
      expect(there.filter((status) => status === 200)).toHaveLength(3);
    });

    test("of a visitor counts for the account, and nothing is claimed if it does not fit", async () => {
      const tokens = await signUp(server().url);
      const guest = visitor(server().url, "guest", { ...bearer(tokens.access_token), ...newAddress() });
      const { publicUrl } = await attach(guest, "a.bin", randomBytes(MiB - 4_096));
      const { thread_id } = await guest.call("threads.create", {
        body: { last_message_at: new Date().toISOString() },
      });
      await guest.call("messages.add", {
        params: { thread_id },
        body: {
          parent_id: null,
          format: "aui/v0",
          content: { role: "user", content: [{ type: "image", image: publicUrl }], metadata: { custom: {} } },
        },
      });
      const ada = server().inNewWorkspace(`ada_who_claims_${store}`);
      const own = [];
      for (const name of ["1", "2", "3"]) own.push(await attach(ada, name, randomBytes(MiB)));
      const body = { refresh_token: tokens.refresh_token.token };
      await ada.fails("quota-full", "threads.claim", { body });
      expect((await guest.call("threads.list", { query: {} })).threads).toHaveLength(1);
      await ada.call("files.remove", { params: { file_id: own[0]!.file_id } });
      expect(await ada.call("threads.claim", { body })).toEqual({ moved: 1 });
      // The message counts too.
      expect((await ada.call("files.list", { query: {} })).used_bytes).toBeGreaterThan(3 * MiB - 4_096);
    });

    test("may be uploaded and announced beside a limited number of others", async () => {
      const ada = server().inNewWorkspace(`ada_at_once_${store}`);
      const promised = [];
      for (let i = 0; i < 13; i++) promised.push(await requestUpload(ada, { filename: "a" }));
      const leaving = new AbortController();
      const body = () => new ReadableStream({ start: (controller) => controller.enqueue(randomBytes(10)) });
      const begun = promised.slice(0, 12).map(async ({ signedUrl }) => {
        const send = async () => {
          const init = { method: "PUT", body: body(), duplex: "half" as const, signal: leaving.signal };
          return await fetch(signedUrl, init).catch(() => undefined);
        };
        // One that was refused meanwhile is sent again.
        while ((await send())?.status === 429) await new Promise((resolve) => setTimeout(resolve, 20));
      });
      const last = promised.at(-1)!;
      const answered = async () => (await put(last.signedUrl, "a")).status;
      // Another upload that never ends is refused as well.
      const oneMore = async () => {
        const init = {
          method: "PUT",
          body: body(),
          duplex: "half" as const,
          signal: AbortSignal.timeout(500),
        };
        return await fetch(last.signedUrl, init).then(
          ({ status }) => status,
          () => "it waits",
        );
      };
      await expect.poll(oneMore, { timeout: 10_000 }).toBe(429);
      leaving.abort();
      await Promise.all(begun);
      await expect.poll(answered, { timeout: 10_000 }).toBe(200);

      const ben = server().inNewWorkspace(`ben_at_once_${store}`);
      for (let i = 0; i < 100; i++) await requestUpload(ben, { filename: "a" });
      await ben.fails("too-many-uploads", "files.upload", { body: { filename: "a" } });
      server().clock.advance(15 * 60_000);
      await requestUpload(ben, { filename: "a" });
    });
  });
});
