import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { ArchiveError } from "./archive.ts";
import { decrypt, encrypt, isEncrypted, WrongPassphraseError } from "./encryption.ts";

const passphrase = "correct horse battery staple";
/** The plain bytes of a chunk, the bytes before the first chunk, and those of an encrypted chunk. */
const [plainBytes, headBytes, chunkBytes] = [65_536, 166, 65_552];

async function* inParts(bytes: Uint8Array, length = 50_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
}

async function collect(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

const seal = async (bytes: Uint8Array) => await collect(encrypt(inParts(bytes), passphrase));
const open = async (bytes: Uint8Array, with_ = passphrase, length?: number) =>
  await collect(decrypt(inParts(bytes, length), with_, "the backup"));

test.each([0, 1, plainBytes - 1, plainBytes, plainBytes + 1, 3 * plainBytes])(
  "%i bytes are the same after both ways",
  async (size) => {
    const plain = randomBytes(size);
    const sealed = await seal(plain);
    expect(isEncrypted(sealed)).toBe(true);
    expect(sealed.length).toBe(headBytes + size + 16 * Math.max(1, Math.ceil(size / plainBytes)));
    expect((await open(sealed)).equals(plain)).toBe(true);
    expect((await open(sealed, passphrase, 997)).equals(plain)).toBe(true);
  },
);

test("a file that age wrote is decrypted", async () => {
  const written = Buffer.from(
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBYT2xWTTVSc3FtdUt0QmFwUjNGMGJBIDE4CmV2eCtrV014eG9FQncvRzkz" +
      "Z2QzN1BQK0taNHBnamd1eitWZWpOSWJITXMKLS0tIG5OOUM1M0lvWE51WWNZZ0hCTzlkRkZwTVJHNUg1OW9ZdjkwZ3JQY1owRkUK" +
      "njSgslPxYItm7FZT5oBT2ZgHY2vXHNnLIYag3MvLuzj4WwGDpx2eI/pK",
    "base64",
  );
  expect((await open(written)).toString()).toBe("A backup.\n");
});

test("another passphrase is refused before anything is read", async () => {
  const sealed = await seal(randomBytes(10));
  await expect(open(sealed, "correct horse battery stable")).rejects.toThrow(WrongPassphraseError);
});

test("what was changed, cut, removed, repeated or put in another order is damaged", async () => {
  const sealed = await seal(randomBytes(3 * plainBytes));
  const chunk = (n: number) => sealed.subarray(headBytes + n * chunkBytes, headBytes + (n + 1) * chunkBytes);
  const head = sealed.subarray(0, headBytes);
  const [a, b, c] = [chunk(0), chunk(1), chunk(2)];
  const flipped = (at: number) => {
    const copy = Buffer.from(sealed);
    copy[at]! ^= 1;
    return copy;
  };
  const damaged = {
    "a bit of the first chunk": flipped(headBytes + 5),
    "a bit of the last byte": flipped(sealed.length - 1),
    "a bit of the nonce": flipped(headBytes - 3),
    "a bit of the header's checksum": flipped(headBytes - 30),
    "a byte less": sealed.subarray(0, -1),
    "a chunk less at the end": sealed.subarray(0, headBytes + 2 * chunkBytes),
    "no chunks": head,
    "half a header": sealed.subarray(0, 60),
    nothing: Buffer.alloc(0),
    "a byte more": Buffer.concat([sealed, Buffer.alloc(1)]),
    "two chunks in the other order": Buffer.concat([head, b, a, c]),
    "a chunk twice": Buffer.concat([head, a, a, b, c]),
    "a chunk less in the middle": Buffer.concat([head, a, c]),
  };
  for (const [what, bytes] of Object.entries(damaged))
    await expect(open(bytes), what).rejects.toThrow(ArchiveError);
});
