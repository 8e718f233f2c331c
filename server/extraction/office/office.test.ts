import { afterAll, describe, expect, test } from "vitest";
import { garden, paragraph, wordDocument } from "#fixtures/office/documents.ts";
import { zip } from "#fixtures/office/zip.ts";
import { ExtractionLimitError } from "../extraction-error.ts";
import { createOffice, type Office, type OfficeOptions } from "./office.ts";

const warnings: unknown[] = [];
const open: Office[] = [];
function officeWith(options: Partial<OfficeOptions> = {}): Office {
  const office = createOffice({
    logger: { warn: (fields: unknown) => void warnings.push(fields) },
    timeMs: 20_000,
    unpackedBytesMax: 8 * 1024 * 1024,
    charactersMax: 100_000,
    ...options,
  });
  open.push(office);
  return office;
}
afterAll(async () => await Promise.all(open.map(async (office) => await office.close())));

const never = new AbortController().signal;
const office = officeWith();
const extract = async (bytes: Buffer) => await office.extract(bytes, never);
const reasonOf = async (bytes: Buffer) =>
  await extract(bytes).then(
    () => "extracted",
    (error: { reason?: string }) => error.reason,
  );

describe("an office document", () => {
  test("is extracted whichever program wrote it", async () => {
    expect((await extract(garden("docx"))).text).toContain("Bed | Plant | \nNorth | Beans & peas |");
    expect((await extract(garden("xlsx"))).text).toContain(",,,,,far away");
    expect(await extract(garden("ods"))).toEqual({
      text: "--- table Beds ---\nbed,metres\nnorth,4.5",
      isCut: false,
    });
  });

  test("is cut at the character limit and marked as cut", async () => {
    const { text, isCut } = await extract(wordDocument(paragraph("rose ").repeat(50_000)));
    expect([text.length, isCut]).toEqual([100_000, true]);
  });

  test("leaves out deleted text, fallback copies and field codes", async () => {
    const body =
      "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText></w:r>" +
      "<w:AlternateContent><w:Choice><w:r><w:t>once</w:t></w:r></w:Choice>" +
      "<w:Fallback><w:r><w:t>once</w:t></w:r></w:Fallback></w:AlternateContent></w:p>";
    expect((await extract(wordDocument(body))).text).toBe("once");
  });

  test("lists slides in presentation order", async () => {
    const relations = (all: string) => `<Relationships>${all}</Relationships>`;
    const slide = (text: string) =>
      `<p:sld xmlns:p="p" xmlns:a="a"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
    const { text } = await extract(
      zip([
        {
          name: "ppt/presentation.xml",
          content:
            '<p:p xmlns:p="p" xmlns:r="r"><p:sldId r:id="r2" id="256"/><p:sldId id="257" r:id="r1"/></p:p>',
        },
        {
          name: "ppt/_rels/presentation.xml.rels",
          content: relations(
            '<Relationship Id="r1" Type="t/slide" Target="slides/slide1.xml"/><Relationship Id="r2" Type="t/slide" Target="/ppt/slides/slide2.xml"/>',
          ),
        },
        { name: "ppt/slides/slide1.xml", content: slide("one") },
        { name: "ppt/slides/slide2.xml", content: slide("two") },
      ]),
    );
    expect(text).toBe("--- slide 1 ---\ntwo\n\n--- slide 2 ---\none");
  });

  test("reports whether a file is unknown, damaged or locked", async () => {
    expect(await reasonOf(Buffer.from("no archive"))).toBe("damaged");
    expect(await reasonOf(garden("docx").subarray(0, 20_000))).toBe("damaged");
    expect(await reasonOf(zip([{ name: "a.txt", content: "a" }]))).toBe("kind");
    expect(await reasonOf(zip([{ name: "word/document.xml", content: "x", locked: true }]))).toBe("locked");
    expect(await reasonOf(wordDocument("<w:p><w:t>never closed"))).toBe("damaged");
  });
});

describe("a hostile document", () => {
  const bomb = Buffer.alloc(64 * 1024 * 1024, " ");

  test("that decompresses to many megabytes is refused, whatever size it declares", async () => {
    expect(await reasonOf(wordDocument(bomb))).toBe("too-large");
    const misdeclared = zip([{ name: "word/document.xml", content: bomb, declaredBytes: 1_000 }]);
    expect(await reasonOf(misdeclared)).toBe("damaged");
  });

  test("with entities that expand without end is refused before the first is expanded", async () => {
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
      "",
    );
    const prolog = `<!DOCTYPE w [<!ENTITY l0 "ha">${laughs}]>`;
    expect(await reasonOf(wordDocument(paragraph("&l9;"), prolog))).toBe("damaged");
  });

  test("with entities that load files and URLs is refused", async () => {
    for (const place of ["file:///etc/passwd", "http://127.0.0.1:9/"])
      expect(
        await reasonOf(wordDocument(paragraph("&x;"), `<!DOCTYPE w [<!ENTITY x SYSTEM "${place}">]>`)),
      ).toBe("damaged");
    expect(await reasonOf(wordDocument(paragraph("&undeclared;")))).toBe("damaged");
  });

  test("with very deep nesting is refused", async () => {
    expect(await reasonOf(wordDocument("<w:p>".repeat(100_000)))).toBe("too-large");
  });

  test("with very many archive entries is refused", async () => {
    const entries = Array.from({ length: 5_001 }, (_, n) => ({ name: `${n}`, content: "" }));
    expect(await reasonOf(zip(entries))).toBe("too-large");
  });

  test("with cells that repeat a million times has at most a hundred copies", async () => {
    const sheet =
      '<d xmlns:t="t"><t:table name="A"><t:table-row number-rows-repeated="1000000"><t:table-cell number-columns-repeated="1000000"><t:p>x</t:p></t:table-cell></t:table-row></t:table></d>';
    const { text } = await extract(
      zip([
        { name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet" },
        { name: "content.xml", content: sheet },
      ]),
    );
    expect(text.split("\n")).toHaveLength(101);
    expect(text.split("\n")[1]).toBe(Array.from({ length: 100 }, () => "x").join(","));
  });

  test("that takes too long ends its thread, and the next one is extracted", async () => {
    const bytes = wordDocument(paragraph("rose").repeat(50_000));
    const office = officeWith({ timeMs: 5 });
    await expect(office.extract(bytes, never)).rejects.toThrow(ExtractionLimitError);
    expect((await extract(garden("odt"))).text).toContain("Pruning");
  });

  test("rejects at once when the signal aborts", async () => {
    const stop = new AbortController();
    const extracting = officeWith().extract(garden("docx"), stop.signal);
    stop.abort(new Error("stopped"));
    await expect(extracting).rejects.toThrow("stopped");
  });
});
