import { expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import { createAddresses, filesNamedIn, moved, readAddress } from "./addresses.ts";

const addresses = createAddresses("a secret of the tests");
const base = "https://chat.example/here";
const file = { id: newId("file"), secret: "0123456789abcdefghjkmnpqrs", name: "Garden.PNG" };
const lasting = addresses.lasting(base, file);

test("the address of a file ends as its name does, where that is plain", () => {
  expect(lasting).toBe(`${base}/v1/content/${file.id}/${file.secret}.png`);
  for (const name of ["garden", "a.b c", "a.tar/..", "a.", "a.x\u0000", `a.${"x".repeat(11)}`])
    expect(addresses.lasting(base, { ...file, name })).toBe(`${base}/v1/content/${file.id}/${file.secret}`);
});

test("files are found in whatever speaks of them", () => {
  const { id, secret } = file;
  const passing = addresses.passing(base, file, 1_000);
  const text = JSON.stringify({
    content: [{ image: lasting }, { data: passing }, { text: `see ${lasting}, and ![](${lasting})` }],
    own: `/v1/files/${id}/content`,
  });
  expect(filesNamedIn(text)).toEqual([
    { id, secret },
    { id, secret: "" },
    { id, secret },
    { id, secret },
    { id, secret: "" },
  ]);
  for (const other of ["", "file_0", `/v1/content/${id}`, `/v1/files/${id}`, `/v1/content/${id}/short`, id])
    expect(filesNamedIn(other)).toEqual([]);
});

test("addresses lead to other files, wherever they were stored, and all else stays to the letter", () => {
  const here = { id: newId("file"), secret: "zzzzzzzzzzzzzzzzzzzzzzzzzz", name: "here.txt" };
  const other = { ...file, id: newId("file") };
  const lead = (text: string) =>
    JSON.parse(
      moved(
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
    [lasting, there],
    [addresses.passing(base, file, 1_000), there],
    [lasting.replace(base, "http://[::1]:80"), there],
    [lasting.replace(base, ""), there],
    [`a"\\é ${lasting}) and (${lasting}.`, `a"\\é ${there}) and (${there}.`],
    [`https://other.example/ ${lasting}`, `https://other.example/ ${there}`],
    [`/v1/files/${file.id}/content`, `/v1/files/${here.id}/content`],
    [`${base}/v1/files/${file.id}/thumbnail`, `http://new:1/p/v1/files/${here.id}/thumbnail`],
    [addresses.lasting(base, other), addresses.lasting(base, other)],
    [`${base}/v1/content/${newId("file")}/${file.secret}`, undefined],
    [`see ${file.id}`, undefined],
  ] as const)
    expect(lead(text)).toBe(expected ?? text);
});

test("an address is read whole or not at all", () => {
  expect(readAddress(lasting)).toEqual({ id: file.id, secret: file.secret });
  for (const other of [
    `${lasting}!`,
    `${lasting}#a`,
    `${lasting}/..`,
    lasting + lasting,
    addresses.passing(base, file, 1),
  ])
    expect(readAddress(other), other).toBeUndefined();
});

test("a signature is of one file, one moment and one deed", () => {
  const { id } = file;
  const of = (url: string) => new URL(url).searchParams.get("signature")!;
  const open = of(addresses.passing(base, file, 1_000));
  expect(addresses.isSigned(id, "signed", { expires: 1_000, signature: open })).toBe(true);
  expect(addresses.isSigned(id, "signed", { expires: 1_001, signature: open })).toBe(false);
  expect(addresses.isSigned(newId("file"), "signed", { expires: 1_000, signature: open })).toBe(false);
  expect(addresses.isSigned(id, file.secret, { expires: 1_000, signature: open })).toBe(false);
  expect(createAddresses("another").isSigned(id, "signed", { expires: 1_000, signature: open })).toBe(false);
  const upload = of(addresses.upload(base, id, { expires: 1_000, type: "image/png", length: 5 }));
  expect(addresses.isUpload(id, { expires: 1_000, type: "image/png", length: 5 }, upload)).toBe(true);
  for (const bounds of [{ type: "image/png" }, { length: 5 }, { type: "text/html", length: 5 }, {}])
    expect(addresses.isUpload(id, { expires: 1_000, ...bounds }, upload)).toBe(false);
  expect(addresses.isUpload(id, { expires: 1_000 }, open)).toBe(false);
});
