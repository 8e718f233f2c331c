import { beforeAll, describe, expect, vi } from "vitest";
import type { ErrorCode } from "#contract/errors.ts";
import type { PdfEvent } from "#contract/endpoints/pdf.ts";
import { samples } from "#fixtures/pdf/corpus.ts";
import { document, line, pagesOf } from "#fixtures/pdf/write.ts";
import { expectProblem } from "../support/clients/problem.ts";
import { readEventStream } from "../support/clients/event-stream.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { attach, open } from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { enginesWith, s3LocationOf, stores, storeSettings } from "../support/servers/stores.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const three = document(pagesOf(3, (number) => ({ content: line(`Bed ${number}`) })));
const bytesOf = (name: string) => samples.find((sample) => sample.name === name)!.bytes();
const blobOf = (bytes: Buffer) => `data:application/pdf;base64,${bytes.toString("base64")}`;
/** Takes minutes to render. */
const endless = blobOf(bytesOf("a bomb of lines"));
const settings = { PDF_PROCESSES: "1", PDFS_PER_VISITOR: "2" };

describe.for(stores)("on %s", async (store) => {
  const [place, aged] = [await storeSettings(store), await storeSettings(store)];

  describeServer("a PDF", { on: enginesWith(store), settings: { ...settings, ...place } }, (server) => {
    const convert = async (
      who: Visitor,
      body: { file_blob?: string; file_url?: string; format?: "png" | "webp" },
    ) => await who.ask("files.pdfToImages", { body });

    /** The events while it is rendered. */
    async function streamed(who: Visitor, fileBlob: string) {
      const disconnect = new AbortController();
      const response = await fetch(`${who.url}/v1/files/pdf-to-images`, {
        method: "POST",
        headers: { ...who.headers, "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify({ file_blob: fileBlob }),
        signal: disconnect.signal,
      });
      return { response, disconnect };
    }

    // Starts the process here, so that no test waits for it.
    beforeAll(async () => void (await convert(server().inNewWorkspace(), { file_blob: blobOf(three) })));

    test("is rendered as images of its pages, in order, which open without a credential", async ({ ada }) => {
      const { body } = await convert(ada, { file_blob: blobOf(three) });
      expect(body).toMatchObject({ success: true, message: "PDF successfully converted to images" });
      expect(body.pages.map(({ text }) => text)).toEqual(["Bed 1", "Bed 2", "Bed 3"]);
      expect(body.urls).toEqual(body.pages.map(({ url }) => url));
      for (const url of body.urls) {
        const image = await fetch(url);
        expect(image.status).toBe(200);
        expect(Object.fromEntries(image.headers)).toMatchObject({
          "content-type": "image/png",
          "x-content-type-options": "nosniff",
          "cross-origin-resource-policy": "cross-origin",
        });
        const bytes = Buffer.from(await image.arrayBuffer());
        expect(bytes.subarray(1, 4).toString()).toBe("PNG");
        expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1240, 1754]);
      }
    });

    test("may be base64, or an attached file", async ({ ada }) => {
      const texts = async (body: Parameters<typeof convert>[1]) =>
        (await convert(ada, body)).body.pages.map(({ text }) => text);
      expect(await texts({ file_blob: three.toString("base64") })).toEqual(["Bed 1", "Bed 2", "Bed 3"]);
      const { signedUrl, publicUrl, key } = await ada.call("files.upload", {
        body: { filename: "beds.pdf" },
      });
      expect((await fetch(signedUrl, { method: "PUT", body: new Uint8Array(three) })).status).toBe(200);
      expect(await texts({ file_url: publicUrl })).toEqual(["Bed 1", "Bed 2", "Bed 3"]);
      const signed = await ada.call("files.download", { body: { key } });
      expect(await texts({ file_url: signed.signedUrl })).toEqual(["Bed 1", "Bed 2", "Bed 3"]);
      const unknown = publicUrl.replace(/[^/]+$/, "0".repeat(26));
      expectProblem(await convert(ada, { file_url: unknown }), "file-not-found");
    });

    test("may be a file of the visitor's workspace by the URL that requires a credential", async () => {
      const ada = server().inNewWorkspace();
      const { file_id: id } = await attach(ada, "beds.pdf", new Uint8Array(three));
      const path = `/v1/files/${id}/content`;
      for (const address of [path, `${server().url}${path}`, `${server().url}${path}?download=true`]) {
        const { body } = await convert(ada, { file_url: address });
        expect(body.pages.map(({ text }) => text)).toEqual(["Bed 1", "Bed 2", "Bed 3"]);
        const unknown = await convert(ada, { file_url: address.replace(id, `file_0${"0".repeat(24)}`) });
        expectProblem(unknown, "file-not-found");
        for (const stranger of [server().inNewWorkspace(), await server().anonymous()]) {
          const answer = await convert(stranger, { file_url: address });
          expectProblem(answer, "file-not-found");
          const said = ({ text }: { text: string }) => text.replace(/req_\w+/, "");
          expect(said(answer)).toBe(said(unknown));
        }
      }
    });

    test("is rendered as WebP on request", async () => {
      const { body } = await convert(server().inNewWorkspace(), { file_blob: blobOf(three), format: "webp" });
      const image = await fetch(body.urls[0]!);
      expect(image.headers.get("content-type")).toBe("image/webp");
      expect(
        Buffer.from(await image.arrayBuffer())
          .subarray(8, 12)
          .toString(),
      ).toBe("WEBP");
    });

    test("is streamed page by page to clients that accept events, also the second time", async ({ ada }) => {
      for (const _ of ["rendered", "kept"]) {
        const { response } = await streamed(ada, blobOf(three));
        expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
        const told: PdfEvent[] = [];
        for (const block of (await response.text()).split("\n\n"))
          if (block.startsWith("data: ")) told.push(JSON.parse(block.slice(6)) as PdfEvent);
        expect(told.map(({ type }) => type)).toEqual([
          "pdf-start",
          "pdf-page",
          "pdf-page",
          "pdf-page",
          "pdf-end",
        ]);
        expect(told[0]).toEqual({ type: "pdf-start", pages: 3 });
        expect(told[2]).toMatchObject({ number: 2, width: 1240, height: 1754, text: "Bed 2" });
        expect((await fetch((told[2] as { url: string }).url)).status).toBe(200);
      }
    });

    test("streams a page before the next is rendered", async ({ ada }) => {
      const slow = document([
        { content: line("At once") },
        { content: `0 0 m ${"100 100 l 0 50 l ".repeat(300_000)} S` },
      ]);
      const { response, disconnect } = await streamed(ada, blobOf(slow));
      const events = readEventStream<PdfEvent>(response, () => disconnect.abort());
      const { data } = (await events.until(({ data: { type } }) => type === "pdf-page")).at(-1)!;
      expect(data).toMatchObject({ number: 1, text: "At once" });
      expect((await fetch((data as { url: string }).url)).status).toBe(200);
      events.close();
    });

    test("is abandoned when its reader disconnects, and the process renders the next", async ({ ada }) => {
      for (const accept of ["text/event-stream", "application/json"]) {
        const gone = new AbortController();
        const asked = fetch(`${ada.url}/v1/files/pdf-to-images`, {
          method: "POST",
          headers: { ...ada.headers, "Content-Type": "application/json", Accept: accept },
          body: JSON.stringify({ file_blob: endless }),
          signal: gone.signal,
        });
        asked.catch(() => {});
        if (accept === "text/event-stream") await asked;
        gone.abort();
        expect((await convert(ada, { file_blob: blobOf(document([{}])) })).status).toBe(200);
      }
    });

    test("that cannot be read gets its own error code with the field, and the next is rendered", async () => {
      const ada = server().inNewWorkspace();
      const outcomes: [name: string, code: ErrorCode][] = [
        ["locked, by AES of 256 bits", "pdf-locked"],
        ["locked with an unknown security handler", "pdf-unsupported"],
        ["random bytes", "pdf-unreadable"],
        ["cut off in the middle", "pdf-unreadable"],
        ["no pages", "pdf-empty"],
        ["one page too many", "pdf-too-many-pages"],
      ];
      for (const [name, code] of outcomes) {
        const answer = await convert(ada, { file_blob: blobOf(bytesOf(name)) });
        expectProblem(answer, code);
        expect((answer.body as unknown as { details: unknown }).details).toEqual([
          { path: "body.file_blob", message: expect.any(String) },
        ]);
        const { response } = await streamed(ada, blobOf(bytesOf(name)));
        expect(response.status).toBe(answer.status);
        expect(await response.text()).toContain(`"${code}"`);
        expect((await convert(ada, { file_blob: blobOf(three) })).status).toBe(200);
      }
    });

    test("must be a PDF in base64", async ({ ada }) => {
      for (const fileBlob of [
        "data:image/png;base64,iVBORw0KGgo=",
        "data:application/pdf,%25PDF",
        "data:application/pdf",
        `data:${";".repeat(5_000_000)},`,
        "not base64!",
        "<svg/>",
        // It is inspected once, and not once for each character.
        `${" ".repeat(4 * 1024 * 1024)}!`,
      ]) {
        const answer = await convert(ada, { file_blob: fileBlob });
        expectProblem(answer, "bad-request");
        expect(answer.text).toContain('"path":"body.file_blob"');
      }
      expectProblem(await convert(ada, { file_blob: "data:application/pdf;base64," }), "pdf-empty");
      expectProblem(
        await convert(ada, { file_blob: Buffer.alloc(26 * 1024 * 1024).toString("base64") }),
        "pdf-too-large",
      );
    });

    test("CVE-2025-66201, CVE-2024-47066: our own URL that is not a file's is not fetched", async () => {
      const ada = server().inNewWorkspace();
      for (const path of ["/v1/threads", "/healthz", "/v1/content/../threads", "/v1/pages/x"])
        expectProblem(await convert(ada, { file_url: `${server().url}${path}` }), "address-not-allowed");
      for (const url of ["http://127.0.0.1/", "http://169.254.169.254/", "file:///etc/passwd"]) {
        const answer = await convert(ada, { file_url: url });
        expectProblem(answer, "address-not-allowed");
        expect(answer.text).toContain('"path":"body.file_url"');
      }
    });

    describe("has pages whose URL", () => {
      test("is valid for one page and an hour, and cannot be forged", async ({ ada }) => {
        const [first = "", second = ""] = (await convert(ada, { file_blob: blobOf(three) })).body.urls;
        const statusOf = async (url: string) => (await fetch(url)).status;
        for (const url of [
          first.replace(".1.", ".2."),
          first.replace(/\.png$/, ".webp"),
          first.replace(/[0-9a-f](?=\.1\.)/, (digit) => (digit === "0" ? "1" : "0")),
          first.replace(/\d(?=\.[\w-]{43})/, (digit) => String((Number(digit) + 1) % 10)),
        ])
          expect(await statusOf(url), url).toBe(404);
        expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
      });

      test("differs between workspaces for the same document", async ({ ada }) => {
        const idOf = async (who: Visitor) =>
          (await convert(who, { file_blob: blobOf(three) })).body.urls[0]!.split("/").at(-1)!.split(".")[0];
        expect(await idOf(ada)).toBe(await idOf(ada));
        expect(await idOf(ada)).not.toBe(await idOf(server().inNewWorkspace()));
      });
    });

    test("counts towards a limit per visitor, which does not delay others", async ({ dan }) => {
      const gone = new AbortController();
      const busy = [1, 2].map(
        async () =>
          await fetch(`${dan.url}/v1/files/pdf-to-images`, {
            method: "POST",
            headers: { ...dan.headers, "Content-Type": "application/json" },
            body: JSON.stringify({ file_blob: endless }),
            signal: gone.signal,
          }).catch(() => {}),
      );
      const small = blobOf(document([{}]));
      await vi.waitFor(
        async () => {
          const answer = await dan.ask("files.pdfToImages", { body: { file_blob: "!" } });
          expectProblem(answer, "too-many-pdfs");
          expect(answer.headers.get("retry-after")).toBe("5");
        },
        { timeout: 10_000, interval: 20 },
      );
      // Before its body is read, which may be large and slow.
      const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
      const refused = await fetch(`${dan.url}/v1/files/pdf-to-images`, {
        method: "POST",
        headers: { ...dan.headers, "Content-Type": "application/json" },
        body,
        duplex: "half",
      });
      expect([refused.status, await refused.json()]).toMatchObject([429, { code: "too-many-pdfs" }]);
      const other = convert(server().inNewWorkspace(), { file_blob: small });
      gone.abort();
      await Promise.all(busy);
      expect((await other).status).toBe(200);
      await expect.poll(async () => (await convert(dan, { file_blob: small })).status).toBe(200);
    });
  });

  describeServer("pages of a PDF", { on: enginesWith(store), settings: aged }, (server) => {
    const pagesKept = async (url: string): Promise<string[]> => {
      const rendering = new URL(url).pathname.split("/").at(-1)!.split(".")[0]!;
      const blobs = await openBlobs({ dataDir: server().place.dataDir, s3: s3LocationOf(aged) });
      return (await Array.fromAsync(blobs.list("pages/")))
        .map(({ key }) => key)
        .filter((key) => key.includes(rendering));
    };
    const untilCleared = async (url: string) =>
      await vi.waitFor(
        async () => {
          server().clock.advance(10 * 60_000);
          expect(await pagesKept(url)).toEqual([]);
        },
        { timeout: 10_000, interval: 20 },
      );
    const renderedOf = async (who: Visitor, url: string, format: "png" | "webp" = "png") =>
      (await who.call("files.pdfToImages", { body: { file_url: url, format } })).urls[0]!;

    test("that is attached are deleted with its last copy in the workspace", async ({ ada, ben }) => {
      const [one, two] = [await attach(ada, "beds.pdf", three), await attach(ben, "copy.pdf", three)];
      const page = await renderedOf(ada, one.publicUrl);
      const other = await renderedOf(ben, two.publicUrl, "webp");
      await ada.call("files.remove", { params: { file_id: one.file_id } });
      expect((await open(page)).status).toBe(200);
      await ben.call("files.remove", { params: { file_id: two.file_id } });
      for (const url of [page, other]) expect((await open(url)).status).toBe(404);
      // A file with the same bytes is another file from now on.
      const again = await attach(ada, "again.pdf", three);
      const anew = await renderedOf(ada, again.publicUrl);
      for (const url of [page, other]) await untilCleared(url);
      expect(await pagesKept(anew)).toHaveLength(4);
    });

    test("that an erased person attached are deleted with it, also from the workspace that claimed it", async () => {
      const dan = await server().anonymous("dan");
      const lease = await attach(dan, "lease.pdf", three);
      const page = await renderedOf(dan, lease.publicUrl);
      const eve = server().inNewWorkspace(`eve_${store}`);
      const elsewhere = await renderedOf(eve, lease.publicUrl);
      const params = { file_id: lease.file_id };
      await dan.call("files.remove", { params });
      for (const url of [page, elsewhere]) expect((await open(url)).status).toBe(404);
      const own = await attach(eve, "own.pdf", three);
      const rendered = await renderedOf(eve, own.publicUrl);
      await server()
        .person("ada")
        .ask("apps.eraseUser", { params: { user_id: `user_eve_${store}` } });
      expect((await open(rendered)).status).toBe(404);
      await untilCleared(rendered);
    });

    test("that was only sent are deleted with its sender's data, and no one else's are", async () => {
      const [gus, ada] = [await server().anonymous(), server().inNewWorkspace()];
      const render = async (who: Visitor) =>
        (await who.call("files.pdfToImages", { body: { file_blob: blobOf(three) } })).urls[0]!;
      const [his, hers] = [await render(gus), await render(ada)];
      await gus.call("erasure.everything");
      expect((await open(his)).status).toBe(404);
      // In small steps, so that hers do not expire with a slow store.
      await vi.waitFor(
        async () => {
          server().clock.advance(60_000);
          expect(await pagesKept(his)).toEqual([]);
        },
        { timeout: 15_000, interval: 100 },
      );
      expect(await pagesKept(hers)).toHaveLength(4);
    });

    test("can be opened for an hour, and are deleted after a day", async ({ ada }) => {
      const render = async () =>
        (await ada.call("files.pdfToImages", { body: { file_blob: blobOf(three) } })).urls[0]!;
      const nameOf = (url: string) => new URL(url).pathname.split("/").at(-1)!.split(".")[0]!;
      const first = await render();
      server().clock.advance(3_600_000 - 60_000);
      expect((await open(first)).status).toBe(200);
      server().clock.advance(60_000);
      const late = await open(first);
      expect([late.status, JSON.parse(late.text)]).toMatchObject([403, { code: "link-expired" }]);
      const again = await render();
      expect([(await open(again)).status, nameOf(again)]).toEqual([200, nameOf(first)]);
      const blobs = await openBlobs({ dataDir: server().place.dataDir, s3: s3LocationOf(aged) });
      const kept = async () =>
        (await Array.fromAsync(blobs.list("pages/"))).filter(({ key }) => key.includes(nameOf(first)));
      expect(await kept()).toHaveLength(4);
      server().clock.advance(24 * 3_600_000);
      await vi.waitFor(
        async () => {
          server().clock.advance(10 * 60_000);
          expect(await kept()).toEqual([]);
        },
        { timeout: 10_000, interval: 20 },
      );
      expect(await render()).not.toBe(again);
    });
  });
});

describeServer("a PDF at a URL", { on: ["sqlite"], settings: { FETCH_URLS: "off" } }, () => {
  test("is refused with FETCH_URLS=off", async ({ ada }) => {
    const answer = await ada.ask("files.pdfToImages", {
      body: { file_url: "https://example.org/garden.pdf" },
    });
    expectProblem(answer, "fetching-off");
  });
});
