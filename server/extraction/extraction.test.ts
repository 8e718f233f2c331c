import { expect, test, vi } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { StorageBusyError } from "#storage/lib/errors.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import { gardenPng } from "#tests/support/data/files.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import type { ModelUserPart } from "../parts/model-message.ts";
import type { PageListener, Pdf } from "../pdf/pdf.ts";
import { createExtraction } from "./extraction.ts";
import { noLimits } from "./request-limits.ts";

const none: Contents = { find: () => Promise.resolve(new Map()), bytes: () => Promise.reject(new Error()) };

/** Resolves the files of one message. Files inside a message need no database. */
function setUp(pdf: Partial<Pdf>, contents = none) {
  const clock = createManualClock();
  const extraction = createExtraction({
    db: undefined as unknown as Database,
    clock,
    logger: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    files: { contents },
    pdf: { pagesOf: () => Promise.resolve([]), render: async () => {}, close() {}, ...pdf },
    pages: { picture: () => Promise.resolve(undefined) },
    charactersMax: 10_000,
    dataDir: "",
  });
  const resolve = async (...parts: ModelUserPart[]) => {
    const options = { workspaceId: "w", requestLimits: noLimits, signal: new AbortController().signal };
    const facts = { reads: ["image"] as const };
    const { messages, unread } = await extraction.resolveFiles([{ role: "user", parts }], {
      ...options,
      facts,
    });
    return { parts: messages[0]!.role === "user" ? messages[0]!.parts : [], unread };
  };
  return { resolve, clock, close: async () => await extraction.close() };
}

const filePart = (mediaType: string, bytes: Buffer, filename: string): ModelUserPart => ({
  type: "file",
  data: `data:${mediaType};base64,${bytes.toString("base64")}`,
  mediaType,
  filename,
});

const poem = filePart("application/pdf", document([{ content: line("Roses") }]), "poem.pdf");

test("keeps the text and the first pages of a PDF whose pages fail, and does not render it again", async () => {
  const render = vi.fn(async (_: Uint8Array, __: string, listener: PageListener) => {
    await listener.page({ number: 1, text: "", width: 1, height: 1, picture: gardenPng });
    throw new AppError("pdf-too-complex");
  });
  const pagesOf = () => Promise.resolve(["Roses", "Violets"].map((text) => ({ text, width: 1, height: 1 })));
  const { resolve, close } = setUp({ pagesOf, render });
  for (let attempt = 0; attempt < 2; attempt++) {
    const { parts, unread } = await resolve(poem);
    expect(parts.map(({ type }) => type)).toEqual(["document", "text", "file"]);
    expect(unread).toEqual([{ name: "poem.pdf", reason: "partly" }]);
  }
  render.mockImplementation(() => Promise.reject(new AppError("pdf-too-long")));
  const other = filePart("application/pdf", document([{ content: line("Tulips") }]), "tulips.pdf");
  for (let attempt = 0; attempt < 2; attempt++) {
    const { parts, unread } = await resolve(other);
    expect(parts.map(({ type }) => type)).toEqual(["document"]);
    expect(unread).toEqual([{ name: "tulips.pdf", reason: "partly" }]);
  }
  expect(render).toHaveBeenCalledTimes(2);
  await close();
});

test("does not report a busy database as a damaged file", async () => {
  const id = "file_0123456789abcdefghjkmnpqr";
  const file = { id, name: "a.png", type: "image/png", size_bytes: 1, sha256: "a", blob_key: "b" };
  const { resolve, close } = setUp(
    {},
    {
      find: () => Promise.resolve(new Map([[id, file as StoredFile]])),
      bytes: () => Promise.reject(new StorageBusyError()),
    },
  );
  const part = { type: "file" as const, data: `/v1/files/${id}/content`, mediaType: "image/png" };
  await expect(resolve(part)).rejects.toThrow(StorageBusyError);
  await close();
});
