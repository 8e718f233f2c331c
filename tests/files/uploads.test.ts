import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { attach, beginUpload, gardenPng, open, requestUpload, put } from "../support/data/files.ts";
import { engines } from "../support/postgres/postgres.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { describeServer, test, newPlace, startTestServer } from "../support/servers/server.ts";
import {
  enginesWith,
  resolveLocalhostNames,
  storesAndUrlStyles,
  storeSettings,
} from "../support/servers/stores.ts";

const MiB = 1024 * 1024;

describe.for(storesAndUrlStyles)("uploads to %s", async (store) => {
  resolveLocalhostNames();
  const settings = { FILE_SIZE_MIB: "1", FILES_PER_PERSON_MIB: "3", ...(await storeSettings(store)) };

  describeServer("an upload", { on: enginesWith(store), settings }, (server) => {
    test("can be read unchanged at its URL by everyone who knows it", async () => {
      const bytes = randomBytes(MiB);
      const { publicUrl, success, expiresAt, key } = await attach(server().inNewWorkspace(), "a.bin", bytes);
      expect(success).toBe(true);
      expect(Math.abs(Date.parse(expiresAt) - Date.now() - 15 * 60_000)).toBeLessThan(60_000);
      expect(key).toMatch(/^attachments\/[\w-]+\/file_0[0-9a-z]{24}\.bin$/);
      expect(publicUrl).toMatch(/\/v1\/content\/file_0[0-9a-z]{24}\/[0-9a-z]{26}\.bin$/);
      expect((await open(publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("of a declared size is sent directly to the bucket", async ({ ada }) => {
      const bytes = randomBytes(1_000);
      const { signedUrl, publicUrl } = await requestUpload(ada, {
        filename: "a.bin",
        content_length: bytes.length,
      });
      const isOurs = new URL(signedUrl).origin === new URL(publicUrl).origin;
      expect(isOurs).toBe(store === "disk");
      expect((await put(signedUrl, bytes)).status).toBe(200);
      expect((await open(publicUrl)).bytes.equals(bytes)).toBe(true);
    });

    test("keeps its declared type, unless its bytes contradict it", async ({ ada }) => {
      const oldOffice = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(1_000)]);
      const icon = Buffer.concat([Buffer.from("00000100", "hex"), Buffer.alloc(100)]);
      const html = "<!doctype html><p>x";
      for (const [name, bytes, declared, kept] of [
        ["a.doc", oldOffice, "application/msword", "application/msword"],
        ["a.xls", oldOffice, "application/vnd.ms-excel", "application/vnd.ms-excel"],
        ["a.rtf", "{\\rtf1 x}", "text/rtf", "text/rtf; charset=utf-8"],
        ["a.ico", icon, "image/vnd.microsoft.icon", "image/vnd.microsoft.icon"],
        ["a", "x = 1", "text/x-python", "text/x-python; charset=utf-8"],
        ["a.bin", randomBytes(100), "application/x-garden", "application/x-garden"],
        ["a.doc", gardenPng, "application/msword", "image/png"],
        ["a.png", html, "image/png", "text/plain; charset=utf-8"],
        ["a", "x", "text/html", "text/plain; charset=utf-8"],
        ["a", oldOffice, "image/png", "application/x-cfb"],
        ["a", randomBytes(100), "image/png", "application/octet-stream"],
        ["a", randomBytes(100), "text/html", "application/octet-stream"],
      ] as const) {
        for (const early of [{}, { content_type: declared }]) {
          const { signedUrl, publicUrl } = await requestUpload(ada, { filename: name, ...early });
          const body = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
          expect((await put(signedUrl, body, declared)).status).toBe(200);
          expect((await open(publicUrl)).headers.get("content-type"), name + declared).toBe(kept);
        }
      }
    });

    test("may be empty", async () => {
      const { publicUrl } = await attach(server().inNewWorkspace(), "empty.txt", "");
      expect(await open(publicUrl)).toMatchObject({ status: 200, text: "" });
    });

    test("does not exist before its bytes arrive", async () => {
      const { publicUrl, file_id } = await requestUpload(server().inNewWorkspace(), { filename: "a.png" });
      expect((await open(publicUrl)).status).toBe(404);
      expect(file_id).toMatch(/^file_0/);
    });

    test("accepts the same bytes again after the answer was lost", async () => {
      const { signedUrl, publicUrl } = await attach(server().inNewWorkspace(), "a.png", gardenPng);
      expect((await put(signedUrl, gardenPng)).status).toBe(200);
      expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
    });

    test("cannot replace an existing file (CVE-2026-28788)", async () => {
      const { signedUrl, publicUrl } = await attach(server().inNewWorkspace(), "a.png", gardenPng);
      expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
      const again = await put(signedUrl, "something else");
      if (store === "disk") expect(again.status).toBe(409);
      expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
    });

    test("must have the declared type and size", async ({ ada }) => {
      const declared = { filename: "a.png", content_type: "image/png", content_length: gardenPng.length };
      const { signedUrl, publicUrl } = await requestUpload(ada, declared);
      for (const [bytes, type] of [
        [gardenPng, "text/html"],
        [gardenPng.subarray(1), "image/png"],
        [Buffer.concat([gardenPng, Buffer.from("x")]), "image/png"],
      ] as const) {
        const { status } = await put(signedUrl, bytes, type);
        expect([400, 403]).toContain(status);
        expect((await open(publicUrl)).status).toBe(404);
      }
      expect((await put(signedUrl, gardenPng, "image/png")).status).toBe(200);
      expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
    });

    test("is refused before it starts if its declared size exceeds the limit or the quota", async () => {
      const ada = server().inNewWorkspace(`ada_of_${store}`);
      const ask = async (length: number) =>
        await ada.ask("files.upload", { body: { filename: "a", content_length: length } });
      expectProblem(await ask(MiB + 1), "file-too-large");
      for (const name of ["1", "2", "3"]) {
        const { publicUrl } = await attach(ada, name, randomBytes(MiB - 10));
        expect((await open(publicUrl)).status).toBe(200);
      }
      expect((await ask(30)).status).toBe(201);
      expectProblem(await ask(31), "quota-full");
    });

    test("that exceeds the limit is not stored, even if another size was declared", async () => {
      const ada = server().inNewWorkspace(`ada_who_hoards_${store}`);
      const large = await requestUpload(ada, { filename: "large" });
      const answer = await put(large.signedUrl, randomBytes(MiB + 1));
      if (store === "disk") expect(answer.status).toBe(413);
      expect((await open(large.publicUrl)).status).toBe(404);
      const promised = [];
      for (let i = 0; i < 4; i++) promised.push(await requestUpload(ada, { filename: `${i}` }));
      for (const { signedUrl } of promised) await put(signedUrl, randomBytes(MiB - 100));
      const found = [];
      for (const { publicUrl } of promised) found.push((await open(publicUrl)).status);
      expect(found).toEqual([200, 200, 200, 404]);
    });

    test("to another's URL, with a forged signature, or too late is refused", async ({ ada }) => {
      const { signedUrl, publicUrl } = await requestUpload(ada, { filename: "a.png" });
      const other = await requestUpload(ada, { filename: "b.png" });
      const { searchParams } = new URL(signedUrl);
      for (const name of searchParams.keys()) {
        if (name === "X-Amz-Algorithm") continue;
        const forged = new URL(signedUrl);
        const value = forged.searchParams.get(name)!;
        forged.searchParams.set(name, value.slice(0, -1) + (value.endsWith("1") ? "2" : "1"));
        expect((await put(forged.href, gardenPng)).status, name).toBeGreaterThanOrEqual(400);
      }
      const elsewhere = new URL(signedUrl);
      elsewhere.pathname = new URL(other.signedUrl).pathname;
      expect((await put(elsewhere.href, gardenPng)).status).toBeGreaterThanOrEqual(400);
      expect((await open(publicUrl)).status).toBe(404);
      expect((await open(other.publicUrl)).status).toBe(404);
    });

    test("of the same bytes is stored once per workspace", async ({ ada, ben }) => {
      const bytes = randomBytes(5_000);
      const urls = [
        await attach(ada, "one.bin", bytes),
        await attach(ada, "two.bin", bytes),
        await attach(ben, "three.bin", bytes),
        await attach(server().inNewWorkspace(), "four.bin", bytes),
      ];
      const tags = [];
      for (const { publicUrl } of urls) tags.push((await open(publicUrl)).headers.get("etag"));
      expect(new Set(tags).size).toBe(1);
      if (store !== "disk") return;
      const ids = urls.map(({ file_id }) => file_id);
      const names = await readdir(join(server().place.dataDir, "files"), { recursive: true });
      const kept = ids.map((id) => names.filter((name) => name.includes(id)).length);
      expect(kept.filter((count) => count > 0)).toEqual([1, 1]);
    });

    test("answers a page's preflight, and the page may read the answer", async () => {
      const { signedUrl } = await requestUpload(server().inNewWorkspace(), { filename: "a.png" });
      const asked = await fetch(signedUrl, {
        method: "OPTIONS",
        headers: {
          Origin: "http://localhost:5173",
          "Access-Control-Request-Method": "PUT",
          "Access-Control-Request-Headers": "content-type",
        },
      });
      expect(asked.headers.get("access-control-allow-methods")).toContain("PUT");
      expect(asked.headers.get("access-control-allow-headers")).toContain("content-type");
      const sent = await fetch(signedUrl, {
        method: "PUT",
        body: "x",
        headers: { Origin: "http://localhost:5173" },
      });
      expect(sent.headers.get("access-control-allow-origin")).toBe("http://localhost:5173");
    });
  });
});

describeServer("a slow sender", { on: ["sqlite"], stalledReaderMs: 2_000, bodyMs: 200 }, () => {
  /** This number of letters, one after another. */
  const trickle = (letters: string): ReadableStream =>
    new ReadableStream({
      async start(controller) {
        for (const letter of letters) {
          controller.enqueue(Buffer.from(letter));
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        controller.close();
      },
    });

  test("may send a file while bytes arrive, and is refused with other bodies", async ({ ada }) => {
    const { signedUrl, publicUrl } = await requestUpload(ada, { filename: "a.txt" });
    const sent = await fetch(signedUrl, { method: "PUT", body: trickle("slowly"), duplex: "half" });
    expect(sent.status).toBe(200);
    expect((await open(publicUrl)).text).toBe("slowly");
    const asked = await fetch(`${ada.url}/v1/threads`, {
      method: "POST",
      headers: { ...ada.headers, "Content-Type": "application/json" },
      body: trickle('{"title":"Slowly"}'),
      duplex: "half",
    });
    expect(asked.status).toBe(408);
    expect(await asked.json()).toMatchObject({ code: "request-timeout" });
  });
});

describeServer("an upload to the disk", { on: ["sqlite"], stalledReaderMs: 300 }, (server) => {
  const filesOf = async (id: string): Promise<string[]> => {
    const names = await readdir(join(server().place.dataDir, "files"), { recursive: true }).catch(() => []);
    return names.filter((name) => name.includes(id));
  };

  test("that is cut off leaves nothing, and can be sent again", async () => {
    const { signedUrl, publicUrl, file_id } = await requestUpload(server().inNewWorkspace(), {
      filename: "a.png",
    });
    await beginUpload(signedUrl, { "Content-Length": "5000" }, gardenPng.subarray(0, 1_000), "disconnect");
    expect((await open(publicUrl)).status).toBe(404);
    await expect.poll(async () => await filesOf(file_id)).toEqual([]);
    expect((await put(signedUrl, gardenPng)).status).toBe(200);
    expect((await open(publicUrl)).bytes.equals(gardenPng)).toBe(true);
  });

  test("that stalls is ended", async () => {
    const { signedUrl, publicUrl } = await requestUpload(server().inNewWorkspace(), { filename: "a.png" });
    await beginUpload(signedUrl, { "Content-Length": "5000" }, gardenPng.subarray(0, 1_000), "wait");
    expect((await open(publicUrl)).status).toBe(404);
  });

  test("in chunks without a declared size is counted while it arrives", async () => {
    const { signedUrl, publicUrl } = await requestUpload(server().inNewWorkspace(), {
      filename: "a.txt",
      content_length: 5,
    });
    const sent = async (text: string) => {
      const body = new ReadableStream({
        start(controller) {
          for (const letter of text) controller.enqueue(Buffer.from(letter));
          controller.close();
        },
      });
      return await fetch(signedUrl, { method: "PUT", body, duplex: "half" });
    };
    expect((await sent("four")).status).toBe(400);
    expect((await sent("sixsix")).status).toBe(400);
    expect((await open(publicUrl)).status).toBe(404);
    expect((await sent("fives")).status).toBe(200);
    expect((await open(publicUrl)).text).toBe("fives");
  });

  test("is refused after 15 minutes", async () => {
    const { signedUrl } = await requestUpload(server().inNewWorkspace(), { filename: "a.png" });
    server().clock.advance(15 * 60_000);
    const answer = await put(signedUrl, gardenPng);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: "link-expired" });
  });
});

describe.each(engines)("a server that shuts down (%s)", (engine) => {
  test("ends the uploads in progress, stores nothing of them, and logs no error", async () => {
    const place = await newPlace(engine);
    const server = await startTestServer({ engine, place });
    const ada = server.inNewWorkspace();
    const folder = join(place.dataDir, "files", ".unfinished");
    const sending: Promise<string>[] = [];
    for (let n = 0; n < 5; n++) {
      const { signedUrl } = await requestUpload(ada, { filename: "a.bin" });
      sending.push(beginUpload(signedUrl, { "Content-Length": String(MiB) }, randomBytes(1_000), "wait"));
    }
    // One continues to send until the end.
    const { signedUrl } = await requestUpload(ada, { filename: "a.bin" });
    const endless = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.enqueue(randomBytes(10));
      },
    });
    const answered = fetch(signedUrl, { method: "PUT", body: endless, duplex: "half" }).then(
      ({ status }) => status,
      () => "cut",
    );
    await expect.poll(async () => await readdir(folder)).toHaveLength(6);
    await server.close();
    await Promise.all(sending);
    expect([503, "cut"]).toContain(await answered);
    const ended = () =>
      server.log.lines().filter(({ method, code }) => method === "PUT" && code !== undefined);
    await expect.poll(() => ended()).toHaveLength(6);
    expect(server.log.takeErrors()).toEqual([]);
    const left = await readdir(join(place.dataDir, "files"), { recursive: true });
    expect(left.filter((name) => name.includes("file_") || name.includes(".unfinished/"))).toEqual([]);
    await place.remove();
  });
});
