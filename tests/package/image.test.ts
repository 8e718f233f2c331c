import { chown, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { document, line } from "#fixtures/pdf/write.ts";
import { sendAndWait } from "../support/clients/conversation.ts";
import { buildImage, reasonWithoutContainers, type BuiltImage } from "./built-image.ts";
import { startContainer } from "./container.ts";
import { releasedCommit } from "./installed-package.ts";
import { signInAsOwner } from "../support/clients/sign-in-as-owner.ts";

/** The image of the Dockerfile, as somebody runs it who gives it little: no root, nothing to write on, 512 MB. */

const MB = 1_000_000;
const memoryBytes = 512 * MB;
const missing = reasonWithoutContainers();

let image: BuiltImage;
beforeAll(async () => {
  if (missing === undefined) image = await buildImage({ commit: releasedCommit });
  // CI sets this, so that these tests cannot get lost there.
  else if (process.env.PARLANCE_TEST_IMAGE === "required") throw new Error(`No image was built: ${missing}.`);
  // 10 minutes: the first time, its base is made too.
}, 600_000);
beforeEach(({ skip }) => skip(missing !== undefined, missing));
afterAll(() => image?.remove());

async function emptyData(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), "image-data-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  await chown(data, 1000, 1000);
  return data;
}

async function start(data: string) {
  const container = await startContainer(image, { data, memoryBytes });
  onTestFinished(async () => void (await container.end("SIGKILL").catch(() => {})));
  return container;
}

test("answers without root, on a read-only root, in 512 MB, and keeps the answer when it is killed", async () => {
  const data = await emptyData();
  const first = await start(data);
  expect(first.isHealthy()).toBe(true);
  expect(first.canRun("touch", "/data/file")).toBe(true);
  for (const path of ["/file", "/app/file", "/etc/file"]) expect(first.canRun("touch", path)).toBe(false);

  const owner = await signInAsOwner(first);
  const talk = await sendAndWait(owner, "What is 12 * 12?");
  expect(JSON.stringify(talk.reply.parts)).toContain("144");
  // A confined process draws the pages.
  const pdf = document([{ content: line("A bed of beans") }]);
  const file_blob = `data:application/pdf;base64,${pdf.toString("base64")}`;
  const { pages } = await owner.call("files.pdfToImages", { body: { file_blob } });
  expect(pages.map(({ text }) => text)).toEqual(["A bed of beans"]);
  console.log(`The server used ${megabytes(first.peakBytes())}.`);
  await first.end("SIGKILL");

  const second = await start(data);
  const again = await signInAsOwner(second);
  const { threads } = await again.call("threads.list", {});
  expect(threads.map(({ id }) => id)).toEqual([talk.thread_id]);
  expect(await again.call("health.report")).toMatchObject({ commit: releasedCommit });
  expect(await readdir(data)).toContain("parlance.db");
});

test("stops as the first process when it is asked to", async () => {
  const container = await start(await emptyData());
  expect(await container.end("SIGTERM")).toMatchObject({ code: 0, signal: null });
});

test("runs commands for its operator", async () => {
  const container = await start(await emptyData());
  expect(container.canRun("parlance", "doctor", "--help")).toBe(true);
  expect(container.canRun("parlance", "no-such-command")).toBe(false);
});

test("says how it is run: by a number that is not root, with a volume, a port and a health check", () => {
  const { User, Volumes, ExposedPorts, Healthcheck } = image.config;
  expect(User).toBe("1000:1000");
  expect(Object.keys(Volumes)).toEqual(["/data"]);
  expect(Object.keys(ExposedPorts)).toEqual(["3000/tcp"]);
  expect(Healthcheck.Test[0]).toBe("CMD");
});

test("is small: 125 MB over its base, 380 MB in all, without what only debuggers and compilers read", async () => {
  const { ours, whole, oursCompressed, wholeCompressed } = image.bytes;
  console.log(
    `The image has ${megabytes(whole)}, of which ${megabytes(ours)} are over the base; ` +
      `compressed ${megabytes(wholeCompressed)}, of which ${megabytes(oursCompressed)} are over the base.`,
  );
  expect(ours).toBeLessThan(125 * MB);
  expect(whole).toBeLessThan(380 * MB);
  const names = await readdir(join(image.root, "app"), { recursive: true });
  expect(names.filter((name) => /\.map$|\.d\.[cm]?ts$/.test(name))).toEqual([]);
  expect(names.filter((name) => /(?:^|\/)node_modules\/(?:vite|typescript|react)$/.test(name))).toEqual([]);
});

const megabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
