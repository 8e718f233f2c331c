import { expect, test, vi } from "vitest";
import type { Database } from "#storage/database/database.ts";
import { StorageBusyError } from "#storage/errors.ts";
import { document, line } from "#fixtures/pdf/write.ts";
import { gardenPng } from "#tests/support/files.ts";
import { handClock } from "#tests/support/hand-clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import type { ModelUserPart } from "../parts/model-message.ts";
import type { PageListener, Pdf } from "../pdf/pdf.ts";
import { createReading } from "./extraction.ts";
import { withoutNothing } from "./request-limits.ts";

const none: Contents = { find: () => Promise.resolve(new Map()), bytes: () => Promise.reject(new Error()) };

/** Reads one conversation of one message. What stands in a message itself needs no database. */
function reader(pdf: Partial<Pdf>, contents = none) {
  const clock = handClock();
  const reading = createReading({
    db: undefined as unknown as Database,
    clock,
    logger: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    files: { contents },
    pdf: { pagesOf: () => Promise.resolve([]), draw: async () => {}, close() {}, ...pdf },
    pages: { picture: () => Promise.resolve(undefined) },
    charactersMax: 10_000,
  });
  const read = async (...parts: ModelUserPart[]) => {
    const asked = { workspaceId: "w", without: withoutNothing, signal: new AbortController().signal };
    const facts = { reads: ["image"] as const };
    const { messages, unread } = await reading.read([{ role: "user", parts }], { ...asked, facts });
    return { parts: messages[0]!.role === "user" ? messages[0]!.parts : [], unread };
  };
  return { read, clock, close: async () => await reading.close() };
}

const filePart = (mediaType: string, bytes: Buffer, filename: string): ModelUserPart => ({
  type: "file",
  data: `data:${mediaType};base64,${bytes.toString("base64")}`,
  mediaType,
  filename,
});

const poem = filePart("application/pdf", document([{ content: line("Roses") }]), "poem.pdf");

test("a PDF whose pages cannot be drawn keeps its text, and the pages that came, and is not drawn each time", async () => {
  const draw = vi.fn(async (_: Uint8Array, __: string, listener: PageListener) => {
    await listener.page({ number: 1, text: "", width: 1, height: 1, picture: gardenPng });
    throw new AppError("pdf-too-complex");
  });
  const pagesOf = () => Promise.resolve(["Roses", "Violets"].map((text) => ({ text, width: 1, height: 1 })));
  const { read, close } = reader({ pagesOf, draw });
  for (let asked = 0; asked < 2; asked++) {
    const { parts, unread } = await read(poem);
    expect(parts.map(({ type }) => type)).toEqual(["document", "text", "file"]);
    expect(unread).toEqual([{ name: "poem.pdf", reason: "partly" }]);
  }
  draw.mockImplementation(() => Promise.reject(new AppError("pdf-too-long")));
  const other = filePart("application/pdf", document([{ content: line("Tulips") }]), "tulips.pdf");
  for (let asked = 0; asked < 2; asked++) {
    const { parts, unread } = await read(other);
    expect(parts.map(({ type }) => type)).toEqual(["document"]);
    expect(unread).toEqual([{ name: "tulips.pdf", reason: "partly" }]);
  }
  expect(draw).toHaveBeenCalledTimes(2);
  await close();
});

test("a database that is away is not taken for a damaged file", async () => {
  const id = "file_0123456789abcdefghjkmnpqr";
  const file = { id, name: "a.png", type: "image/png", size_bytes: 1, sha256: "a", blob_key: "b" };
  const { read, close } = reader(
    {},
    {
      find: () => Promise.resolve(new Map([[id, file as StoredFile]])),
      bytes: () => Promise.reject(new StorageBusyError()),
    },
  );
  const part = { type: "file" as const, data: `/v1/files/${id}/content`, mediaType: "image/png" };
  await expect(read(part)).rejects.toThrow(StorageBusyError);
  await close();
});
