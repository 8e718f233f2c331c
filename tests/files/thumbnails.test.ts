import { describe, expect, vi } from "vitest";
import sharp, { type Sharp } from "sharp";
import { newId } from "#contract/ids.ts";
import { pngOf } from "#fixtures/files/png-bomb.ts";
import { openBlobs } from "#storage/blobs/open.ts";
import { attach, gardenPng, open } from "../support/data/files.ts";
import { describeServer, test, type TestServer } from "../support/servers/server.ts";
import { enginesWith, s3LocationOf, stores, storeSettings } from "../support/servers/stores.ts";
import type { Visitor } from "../support/clients/visitor.ts";

const red = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: "#c03020" } });

/** Red above, blue below, with a camera's metadata: rotated to the left, and a location. */
async function turnedPhotograph(): Promise<Buffer> {
  const blue = await sharp({ create: { width: 900, height: 300, channels: 3, background: "#2030c0" } })
    .png()
    .toBuffer();
  return await red(900, 600)
    .composite([{ input: blue, top: 300, left: 0 }])
    .jpeg()
    .withExif({ IFD0: { Make: "Camera" }, IFD3: { GPSLatitude: "52/1 30/1 0/1", GPSLatitudeRef: "N" } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
}

async function movingPicture(): Promise<Buffer> {
  const frames = await Promise.all(
    ["#c03020", "#2030c0"].map(
      async (background) =>
        await sharp({ create: { width: 40, height: 40, channels: 3, background } })
          .png()
          .toBuffer(),
    ),
  );
  return await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">
  <script>fetch("http://127.0.0.1:9/")</script><image xlink:href="file:///etc/passwd" width="9" height="9"/></svg>`;

const address = (who: Visitor, fileId: string) => `${who.url}/v1/files/${fileId}/thumbnail`;

async function thumbnailOf(who: Visitor, fileId: string, headers: Record<string, string> = {}) {
  return await open(address(who, fileId), { ...who.headers, ...headers });
}

async function codeOf(who: Visitor, fileId: string): Promise<string> {
  const { status, text } = await thumbnailOf(who, fileId);
  return `${status} ${(JSON.parse(text) as { code: string }).code}`;
}

describe.for(stores)("on %s", async (store) => {
  const settings = await storeSettings(store);

  /** The keys of all thumbnails. */
  async function keys(server: TestServer): Promise<string[]> {
    const blobs = await openBlobs({ dataDir: server.place.dataDir, s3: s3LocationOf(settings) });
    return (await Array.fromAsync(blobs.list("thumbnails/"))).map(({ key }) => key);
  }

  describeServer("a thumbnail", { on: enginesWith(store), settings }, (server) => {
    test("is a small WebP with headers that keep a browser from running it", async ({ ada }) => {
      const { file_id } = await attach(ada, "red.png", await red(2_000, 1_000).png().toBuffer());
      const { status, headers, bytes } = await thumbnailOf(ada, file_id);
      expect(status).toBe(200);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "image/webp",
        "content-length": String(bytes.length),
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-cache",
        "cross-origin-resource-policy": "same-origin",
        "content-disposition": `inline; filename="red.png.webp"; filename*=UTF-8''red.png.webp`,
      });
      expect(headers.get("content-security-policy")).toMatch(/default-src 'none'; sandbox/);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 512, height: 256 });
      const etag = headers.get("etag")!;
      expect(etag).not.toBe(
        (await open(`${ada.url}/v1/files/${file_id}/content`, ada.headers)).headers.get("etag"),
      );
      const again = await thumbnailOf(ada, file_id, { "If-None-Match": etag });
      expect([again.status, again.bytes.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
      const part = await thumbnailOf(ada, file_id, { Range: "bytes=8-11" });
      expect([part.status, part.text]).toEqual([206, "WEBP"]);
    });

    test("is no larger than the picture", async ({ ada }) => {
      const { file_id } = await attach(ada, "dot.gif", await red(3, 2).gif().toBuffer());
      const { bytes } = await thumbnailOf(ada, file_id);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 3, height: 2 });
    });

    test("can be read in its workspace with a credential, and by no one else", async ({ ada, ben }) => {
      const { file_id, publicUrl } = await attach(ada, "garden.png", gardenPng);
      expect((await thumbnailOf(ben, file_id)).status).toBe(200);
      const params = { file_id };
      await server().guest.fails("not-signed-in", "files.thumbnail", { params });
      for (const stranger of [server().inNewWorkspace(), await server().anonymous("eve")])
        await stranger.fails("file-not-found", "files.thumbnail", { params });
      await ada.fails("file-not-found", "files.thumbnail", { params: { file_id: newId("file") } });
      // A URL that opens the file without a credential opens no thumbnail.
      const { pathname, search } = new URL(publicUrl);
      expect((await open(`${ada.url}${pathname}/thumbnail${search}`)).status).toBe(404);
    });

    test("is upright and has no location", async ({ ada }) => {
      const taken = await turnedPhotograph();
      expect((await sharp(taken).metadata()).exif?.includes("Camera")).toBe(true);
      const { file_id } = await attach(ada, "photograph.jpg", taken);
      const { bytes } = await thumbnailOf(ada, file_id);
      const facts = await sharp(bytes).metadata();
      expect([facts.width, facts.height]).toEqual([341, 512]);
      expect([facts.exif, facts.xmp, facts.iptc, facts.icc, facts.orientation]).toEqual(
        Array(5).fill(undefined),
      );
      expect(bytes.includes("Camera")).toBe(false);
      // The lower part is on the left now.
      const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      const left = data.subarray(3 * (341 * 256 + 20)).subarray(0, 3);
      expect(left[2]).toBeGreaterThan(left[0]!);
    });

    test("is made of the first frame of animations, and of CMYK, TIFF, AVIF and 16-bit pictures", async () => {
      const ada = server().inNewWorkspace();
      const pictures = {
        "moving.gif": await movingPicture(),
        "print.jpg": await red(700, 700).toColourspace("cmyk").jpeg().toBuffer(),
        "scan.tiff": await red(700, 700).tiff().toBuffer(),
        "new.avif": await red(64, 64).avif().toBuffer(),
        "deep.png": await red(64, 64).toColourspace("rgb16").png().toBuffer(),
      };
      for (const [name, bytes] of Object.entries(pictures)) {
        const { file_id } = await attach(ada, name, bytes);
        const { status, bytes: made } = await thumbnailOf(ada, file_id);
        expect(status, name).toBe(200);
        const small = sharp(made);
        expect((await small.metadata()).pages ?? 1, name).toBe(1);
        const { dominant } = await small.stats();
        expect(dominant.r, name).toBeGreaterThan(dominant.b + 50);
      }
    });

    test("is not made of bombs, programs and broken files, which are tried once", async () => {
      const ada = server().inNewWorkspace(`ada_with_bombs_${store}`);
      const webp = await red(600, 600).webp().toBuffer();
      const tried = {
        "bomb.png": pngOf(60_000, 60_000),
        "long.png": pngOf(100, 100_000),
        "cut.webp": webp.subarray(0, webp.length / 2),
        "cut.jpg": (await red(600, 600).jpeg().toBuffer()).subarray(0, 500),
        "head.png": gardenPng.subarray(0, 40),
      };
      const others = { "drawing.svg": svg, "drawing.png": svg, "page.png": "<html>", "notes.txt": "red" };
      const ids: string[] = [];
      for (const [name, bytes] of Object.entries({ ...tried, ...others })) {
        const { file_id, publicUrl } = await attach(ada, name, bytes, "image/png");
        expect(await codeOf(ada, file_id), name).toBe("404 no-thumbnail");
        expect((await open(publicUrl)).bytes.length, name).toBe(Buffer.from(bytes as never).length);
        ids.push(file_id);
      }
      const said = () =>
        server()
          .log.lines()
          .filter(({ msg }) => msg === "a picture has no thumbnail").length;
      const before = said();
      for (const id of ids) expect(await codeOf(ada, id)).toBe("404 no-thumbnail");
      expect(said()).toBe(before);
      const { file_id } = await attach(ada, "garden.png", gardenPng);
      expect((await thumbnailOf(ada, file_id)).status).toBe(200);
      const { files } = await ada.call("files.list");
      expect(files.filter(({ thumbnail }) => thumbnail).map(({ name }) => name)).toEqual(["garden.png"]);
    });

    test("is made once for concurrent requests and for files with the same bytes", async ({ ada }) => {
      const bytes = await red(777, 333).png().toBuffer();
      const before = await keys(server());
      const [one, two] = [await attach(ada, "one.png", bytes), await attach(ada, "two.png", bytes)];
      const got = await Promise.all(
        Array.from(
          { length: 12 },
          async (_, at) => await thumbnailOf(ada, (at % 2 === 0 ? one : two).file_id),
        ),
      );
      expect(new Set(got.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await keys(server())).toHaveLength(before.length + 1);
      // The same bytes of another person have their own thumbnail.
      const ben = server().inNewWorkspace("ben");
      const his = await attach(ben, "his.png", bytes);
      expect((await thumbnailOf(ben, his.file_id)).status).toBe(200);
      expect(await keys(server())).toHaveLength(before.length + 2);
    });

    test("is made again if its bytes were lost", async ({ ada }) => {
      const before = await keys(server());
      const { file_id } = await attach(ada, "red.png", await red(600, 500).png().toBuffer());
      const first = await thumbnailOf(ada, file_id);
      const [key] = (await keys(server())).filter((each) => !before.includes(each));
      const blobs = await openBlobs({ dataDir: server().place.dataDir, s3: s3LocationOf(settings) });
      await blobs.remove(key!);
      const second = await thumbnailOf(ada, file_id);
      expect([second.status, second.bytes.equals(first.bytes)]).toEqual([200, true]);
      expect(await keys(server())).toContain(key);
    });

    test("is deleted with the last file that has its bytes, and with its person", async ({ ada }) => {
      const ben = server().inNewWorkspace("ben");
      ben.headers["Aui-User-Id"] = newId("user");
      const before = await keys(server());
      const bytes = await red(600, 400).png().toBuffer();
      const [one, two] = [await attach(ada, "one.png", bytes), await attach(ada, "two.png", bytes)];
      const his = await attach(ben, "his.png", bytes);
      for (const [who, { file_id }] of [
        [ada, one],
        [ben, his],
      ] as const)
        expect((await thumbnailOf(who, file_id)).status).toBe(200);
      await ada.call("files.remove", { params: { file_id: one.file_id } });
      expect((await thumbnailOf(ada, two.file_id)).status).toBe(200);
      await ada.call("files.remove", { params: { file_id: two.file_id } });
      await ben.ask("apps.eraseUser", { params: { user_id: ben.headers["Aui-User-Id"] } });
      expect(await codeOf(ada, two.file_id)).toBe("404 file-not-found");
      await vi.waitFor(
        async () => {
          server().clock.advance(10 * 60_000);
          expect((await keys(server())).filter((key) => !before.includes(key))).toEqual([]);
        },
        { timeout: 10_000, interval: 20 },
      );
    });
  });

  describeServer(
    "a private file's thumbnail",
    { on: enginesWith(store), settings: { ...settings, FILES_PRIVATE: "on" } },
    (server) => {
      test("requires a credential and no signature", async ({ ada }) => {
        const { file_id } = await attach(ada, "garden.png", gardenPng);
        server().clock.advance(60 * 60_000);
        expect((await thumbnailOf(ada, file_id)).status).toBe(200);
        expect((await open(address(ada, file_id))).status).toBe(401);
      });
    },
  );
});
