import { beforeAll, describe, expect } from "vitest";
import {
  attach,
  gardenPng,
  open,
  getRawPath,
  put,
  requestUpload,
  type UploadTarget,
} from "../support/data/files.ts";
import { describeServer, test } from "../support/servers/server.ts";
import { enginesWith, stores, storeSettings } from "../support/servers/stores.ts";
import type { Visitor } from "../support/clients/visitor.ts";

describe.for(stores)("files on %s", async (store) => {
  describeServer("a file", { on: enginesWith(store), settings: await storeSettings(store) }, (server) => {
    let ada: Visitor;
    let garden: UploadTarget;
    beforeAll(async () => {
      ada = server().inNewWorkspace();
      garden = await attach(ada, "garden.png", gardenPng, "image/png");
    });

    test("is sent with headers that keep a browser from running it", async () => {
      const { status, headers } = await open(garden.publicUrl);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("image/png");
      expect(headers.get("content-length")).toBe(String(gardenPng.length));
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toMatch(/default-src 'none'; sandbox/);
      expect(headers.get("content-disposition")).toBe(
        `inline; filename="garden.png"; filename*=UTF-8''garden.png`,
      );
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("accept-ranges")).toBe("bytes");
    });

    test("is downloaded on request", async () => {
      const { headers } = await open(`${garden.publicUrl}?download=true`);
      expect(headers.get("content-disposition")).toMatch(/^attachment; /);
    });

    test("answers HEAD without a body", async () => {
      // HEAD has no ranges.
      const { status, headers, bytes } = await open(garden.publicUrl, { Range: "bytes=0-3" }, "HEAD");
      expect([status, headers.get("content-length"), bytes.length]).toEqual([
        200,
        String(gardenPng.length),
        0,
      ]);
    });

    test("is not sent again to a client that has it", async () => {
      const { headers } = await open(garden.publicUrl);
      const etag = headers.get("etag")!;
      for (const known of [etag, `"x", W/${etag}`, "*"]) {
        const again = await open(garden.publicUrl, { "If-None-Match": known });
        expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
      }
      expect((await open(garden.publicUrl, { "If-None-Match": '"x"' })).status).toBe(200);
    });

    const size = gardenPng.length;
    test.for([
      ["bytes=0-9", 0, 9],
      ["bytes=10-", 10, size - 1],
      ["bytes=-7", size - 7, size - 1],
      [`bytes=5-${size * 2}`, 5, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
      ["Bytes = 1 - 1", 1, 1],
    ] as const)("is sent in part for a range: %s", async ([range, start, end]) => {
      const { status, headers, bytes } = await open(garden.publicUrl, { Range: range });
      expect(status).toBe(206);
      expect(headers.get("content-range")).toBe(`bytes ${start}-${end}/${size}`);
      expect(bytes.equals(gardenPng.subarray(start, end + 1))).toBe(true);
    });

    test.for(["bytes=0-1,4-5", "lines=0-1"])(
      "is sent whole for several ranges or another unit: %s",
      async (range) => {
        const { status, bytes } = await open(garden.publicUrl, { Range: range });
        expect([status, bytes.length]).toEqual([200, size]);
      },
    );

    test("is sent whole for a range if it is empty", async () => {
      const nothing = await attach(ada, "nothing.txt", new Uint8Array(), "text/plain");
      const { status, bytes } = await open(nothing.publicUrl, { Range: "bytes=0-9" });
      expect([status, bytes.length]).toEqual([200, 0]);
    });

    test.for([
      `bytes=${size}-`,
      "bytes=-0",
      "bytes=9-8",
      "bytes=a-b",
      "bytes=-",
      "bytes=1-2x",
      `bytes=${" ".repeat(15_000)}x`,
    ])("refuses the range %s", async (range) => {
      const { status, headers, text } = await open(garden.publicUrl, { Range: range });
      expect([status, headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
      expect(JSON.parse(text)).toMatchObject({ code: "range-not-satisfiable" });
    });

    test("is sent whole if the range is of another version", async () => {
      const etag = (await open(garden.publicUrl)).headers.get("etag")!;
      const part = async (ifRange: string) =>
        (await open(garden.publicUrl, { Range: "bytes=0-1", "If-Range": ifRange })).status;
      expect([await part(etag), await part('"other"')]).toEqual([206, 200]);
    });

    test("can be read in its workspace with a credential, and by no one else (CVE-2026-42277)", async () => {
      const params = { file_id: garden.file_id };
      const read = await ada.ask("files.read", { params });
      expect(read.status).toBe(200);
      expect(read.headers.get("cache-control")).toBe("private, no-cache");
      await server().guest.fails("not-signed-in", "files.read", { params });
      for (const stranger of [server().inNewWorkspace(), await server().anonymous("eve")]) {
        await stranger.fails("file-not-found", "files.read", { params });
        for (const body of [{ key: garden.key }, { url: garden.publicUrl }])
          await stranger.fails("file-not-found", "files.download", { body });
      }
    });

    test("opens for 15 minutes by a signed URL, which does not reveal the permanent one", async () => {
      for (const body of [{ key: garden.key }, { url: garden.publicUrl }]) {
        const { signedUrl, key, expiresAt } = await ada.call("files.download", { body });
        expect(key).toBe(garden.key);
        expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
        expect(signedUrl).not.toContain(new URL(garden.publicUrl).pathname.split("/").at(-1)!.slice(0, 26));
        expect((await open(signedUrl)).bytes.equals(gardenPng)).toBe(true);
        for (const name of ["expires", "signature"]) {
          const forged = new URL(signedUrl);
          const value = forged.searchParams.get(name)!;
          forged.searchParams.set(name, value.slice(0, -1) + (value.endsWith("1") ? "2" : "1"));
          expect((await open(forged.href)).status, name).toBe(404);
        }
      }
    });

    test("opens only with its whole secret (LibreChat #13221)", async () => {
      const { pathname } = new URL(garden.publicUrl);
      const folder = pathname.slice(0, pathname.lastIndexOf("/"));
      const secret = pathname.slice(folder.length + 1).slice(0, 26);
      const wrong = [
        folder,
        `${folder}/`,
        `${folder}/signed`,
        `${folder}/signed.png`,
        `${folder}/${"0".repeat(26)}.png`,
        `${folder}/${secret.slice(0, 25)}`,
        `${folder}/${secret}0`,
        `${folder}/${secret.toUpperCase()}.png`,
        `${folder}/%00${secret}`,
        `/v1/content/${garden.key}`,
        `/${garden.key}`,
        `/files/${garden.key}`,
      ];
      for (const path of wrong) {
        const { status, text } = await getRawPath(server().url, path);
        expect([400, 404, 503], path).toContain(status);
        expect(text).not.toContain("PNG");
      }
    });

    test.for([
      ["no key of ours", "garden.png"],
      ["a way up", "attachments/../../secret"],
      ["an encoded way up", "attachments/%2e%2e%2f%2e%2e%2fsecret"],
      ["a way up of Windows", "attachments\\..\\..\\secret"],
      ["NUL", "attachments/\0"],
      ["an absolute path", "/etc/passwd"],
      ["a query", "?a=1"],
      ["a fragment", "#a"],
    ])("is not found by %s (CVE-2026-28786, CVE-2026-54017)", async ([, key = ""]) => {
      await ada.fails("file-not-found", "files.download", { body: { key } });
      await ada.fails("file-not-found", "files.download", { body: { key: garden.key + key } });
      await ada.fails("file-not-found", "files.download", { body: { url: `${garden.publicUrl}/${key}` } });
    });

    test.for([
      ["../../../../etc/cron.d/x", ".._.._.._.._etc_cron.d_x"],
      ["..\\..\\boot.ini", ".._.._boot.ini"],
      ["a\u0000b.png", "a_b.png"],
      ['a"; filename="b.html', "a__ filename=_b.html"],
      ["a\r\nSet-Cookie: x=1", "a__Set-Cookie: x=1"],
      ["\u202Egnp.exe", "_gnp.exe"],
    ])("has a name that is never a path or a header: %j (CVE-2026-34371)", async ([name = "", shown]) => {
      const { publicUrl } = await attach(ada, name, gardenPng);
      const { status, headers, bytes } = await open(publicUrl);
      expect([status, bytes.length]).toEqual([200, gardenPng.length]);
      expect(headers.get("content-disposition")).toContain(`filename="${shown}"`);
      expect(headers.get("set-cookie")).toBeNull();
    });

    test("can have a name in any script", async () => {
      const { publicUrl } = await attach(ada, "сад 🌳 (1)'.png", gardenPng);
      expect((await open(publicUrl)).headers.get("content-disposition")).toBe(
        `inline; filename="___ __ (1)'.png"; filename*=UTF-8''%D1%81%D0%B0%D0%B4%20%F0%9F%8C%B3%20%281%29%27.png`,
      );
    });

    const script = "<script>alert(1)</script>";
    test.for([
      ["HTML", "page.html", `<!doctype html>${script}`, "text/plain; charset=utf-8"],
      ["HTML that says it is a picture", "cat.png", `<html>${script}`, "text/plain; charset=utf-8"],
      ["HTML behind a comment", "a.txt", `<!-- x --><body onload=alert(1)>`, "text/plain; charset=utf-8"],
      ["a script", "a.js", "alert(1)", "text/plain; charset=utf-8"],
      ["XML", "a.xml", `<?xml version="1.0"?><x/>`, "text/plain; charset=utf-8"],
      [
        "XHTML",
        "a.xhtml",
        `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`,
        "text/plain; charset=utf-8",
      ],
      [
        "SVG with a script",
        "a.svg",
        `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`,
        "image/svg+xml",
      ],
      [
        "SVG with the type of a PNG",
        "a.png",
        `<?xml version="1.0"?><svg onload="alert(1)"/>`,
        "image/svg+xml",
      ],
      ["unknown bytes", "a.html", "\u0001\u0002\u0003<html>", "application/octet-stream"],
      ["a PDF with HTML behind it", "a.html", `%PDF-1.4\n<html>${script}`, "application/pdf"],
      ["text", "a.txt", "garden", "text/plain; charset=utf-8"],
      ["text that begins like a bitmap", "a.csv", "BMI,Age,Sex\n21,40,f\n", "text/csv; charset=utf-8"],
      ["text that begins like a film", "a.md", "The wide range of beds", "text/markdown; charset=utf-8"],
      ["text that begins like sound", "a.txt", "FORM 10-K\nof the garden", "text/plain; charset=utf-8"],
      ["text that begins like a program", "a.txt", "MZ is a prefix", "text/plain; charset=utf-8"],
      ["HTML that begins like a bitmap", "a.txt", `BM <svg>${script}</svg>`, "image/svg+xml"],
    ])(
      "that is %s is downloaded and never run (CVE-2024-7044, CVE-2025-46571, CVE-2025-59417, CVE-2026-45314)",
      async ([, name, content, type]) => {
        const { publicUrl } = await attach(ada, name!, content!, "text/html");
        const { headers } = await open(publicUrl);
        expect(headers.get("content-type")).toBe(type);
        expect(headers.get("content-disposition")).toMatch(/^attachment; /);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toContain("sandbox");
      },
    );

    test("that is a picture with a script in it is shown as a picture (CVE-2025-69221)", async () => {
      const gif = Buffer.concat([Buffer.from("GIF89a/*"), Buffer.from(`*/=1;alert(1)//<html>${script}`)]);
      const { publicUrl } = await attach(ada, "a.html", gif, "text/html");
      const { headers } = await open(publicUrl);
      expect(headers.get("content-type")).toBe("image/gif");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    });
  });
});

describeServer("a signed URL", { on: ["sqlite"] }, (server) => {
  test("expires after 15 minutes, with an error that says so", async ({ ada }) => {
    const { key } = await attach(ada, "garden.png", gardenPng);
    const { signedUrl } = await ada.call("files.download", { body: { key } });
    server().clock.advance(15 * 60_000);
    const { status, text } = await open(signedUrl);
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: "link-expired" }]);
  });

  test("for reading accepts no upload, and one for an upload reads nothing", async ({ ada }) => {
    const { signedUrl, key } = await attach(ada, "garden.png", gardenPng);
    const reading = (await ada.call("files.download", { body: { key } })).signedUrl;
    expect((await put(reading, "x")).status).toBe(405);
    expect((await open(signedUrl)).status).toBe(401);
    const { file_id } = await requestUpload(ada, { filename: "b" });
    const crossed = new URL(reading);
    crossed.pathname = `/v1/files/${file_id}/content`;
    expect((await put(crossed.href, "x")).status).toBe(404);
  });
});
