import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { createFileUrls, findFileUrls, rewriteFileUrls, parseFileUrl } from "./file-urls.ts";

const urls = createFileUrls("a test secret");
const base = "https://chat.example/here";
const file = { id: newId("file"), secret: "0123456789abcdefghjkmnpqrs", name: "Garden.PNG" };
const permanent = urls.permanent(base, file);

test("the URL of a file ends with its extension, if it is plain", () => {
  expect(permanent).toBe(`${base}/v1/content/${file.id}/${file.secret}.png`);
  for (const name of ["garden", "a.b c", "a.tar/..", "a.", "a.x\u0000", `a.${"x".repeat(11)}`])
    expect(urls.permanent(base, { ...file, name })).toBe(`${base}/v1/content/${file.id}/${file.secret}`);
});

test("finds file URLs in any text", () => {
  const { id, secret } = file;
  const temporary = urls.temporary(base, file, 1_000);
  const text = JSON.stringify({
    content: [{ image: permanent }, { data: temporary }, { text: `see ${permanent}, and ![](${permanent})` }],
    own: `/v1/files/${id}/content`,
  });
  expect(findFileUrls(text)).toEqual([
    { id, secret },
    { id, secret: "" },
    { id, secret },
    { id, secret },
    { id, secret: "" },
  ]);
  for (const other of ["", "file_0", `/v1/content/${id}`, `/v1/files/${id}`, `/v1/content/${id}/short`, id])
    expect(findFileUrls(other)).toEqual([]);
});

test("rewrites URLs of other files and changes nothing else", () => {
  const here = { id: newId("file"), secret: "zzzzzzzzzzzzzzzzzzzzzzzzzz", name: "here.txt" };
  const other = { ...file, id: newId("file") };
  const lead = (text: string) =>
    JSON.parse(
      rewriteFileUrls(
        JSON.stringify(text),
        new Map([
          [file.id, here],
          [other.id, other],
        ]),
        "http://new:1/p",
      ),
    ) as string;
  const there = `http://new:1/p/v1/content/${here.id}/${here.secret}.txt`;
  for (const [text, expected] of [
    [permanent, there],
    [urls.temporary(base, file, 1_000), there],
    [permanent.replace(base, "http://[::1]:80"), there],
    [permanent.replace(base, ""), there],
    [`a"\\é ${permanent}) and (${permanent}.`, `a"\\é ${there}) and (${there}.`],
    [`https://other.example/ ${permanent}`, `https://other.example/ ${there}`],
    [`/v1/files/${file.id}/content`, `/v1/files/${here.id}/content`],
    [`${base}/v1/files/${file.id}/thumbnail`, `http://new:1/p/v1/files/${here.id}/thumbnail`],
    [urls.permanent(base, other), urls.permanent(base, other)],
    [`${base}/v1/content/${newId("file")}/${file.secret}`, undefined],
    [`see ${file.id}`, undefined],
  ] as const)
    expect(lead(text)).toBe(expected ?? text);
});

test("parses only a complete file URL", () => {
  expect(parseFileUrl(permanent)).toEqual({ id: file.id, secret: file.secret });
  for (const other of [
    `${permanent}!`,
    `${permanent}#a`,
    `${permanent}/..`,
    permanent + permanent,
    urls.temporary(base, file, 1),
  ])
    expect(parseFileUrl(other), other).toBeUndefined();
});

test("a signature is valid for one file, one moment and one action", () => {
  const { id } = file;
  const of = (url: string) => new URL(url).searchParams.get("signature")!;
  const open = of(urls.temporary(base, file, 1_000));
  expect(urls.isSigned(id, "signed", { expires: 1_000, signature: open })).toBe(true);
  expect(urls.isSigned(id, "signed", { expires: 1_001, signature: open })).toBe(false);
  expect(urls.isSigned(newId("file"), "signed", { expires: 1_000, signature: open })).toBe(false);
  expect(urls.isSigned(id, file.secret, { expires: 1_000, signature: open })).toBe(false);
  expect(createFileUrls("another").isSigned(id, "signed", { expires: 1_000, signature: open })).toBe(false);
  const upload = of(urls.upload(base, id, { expires: 1_000, type: "image/png", length: 5 }));
  expect(urls.isUpload(id, { expires: 1_000, type: "image/png", length: 5 }, upload)).toBe(true);
  for (const bounds of [{ type: "image/png" }, { length: 5 }, { type: "text/html", length: 5 }, {}])
    expect(urls.isUpload(id, { expires: 1_000, ...bounds }, upload)).toBe(false);
  expect(urls.isUpload(id, { expires: 1_000 }, open)).toBe(false);
});
