import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { ArchiveError } from "./archive.ts";

/**
 * The file format of age, version 1, with a passphrase (https://age-encryption.org/v1), so that a backup can be decrypted
 * without Parlance: `age --decrypt`. A random file key is encrypted with a key that scrypt derives from the passphrase. The
 * contents are encrypted with ChaCha20-Poly1305 in chunks. The nonce of a chunk has its number, and says whether it is the
 * last one.
 */
const intro = "age-encryption.org/v1";
const scryptLabel = "age-encryption.org/v1/scrypt";

/** 2^16: 64 MiB of memory and a fraction of a second, which a server with 256 MiB has. */
const workFactor = 16;
/** 2^20 takes a GiB. A file with more is not one of ours, and would only use up the memory. */
const workFactorMax = 20;
const chunkBytes = 64 * 1024;
const tagBytes = 16;
const fileKeyBytes = 16;
const nonceBytes = 16;
/** A header of ours has 150 bytes. */
const headerBytesMax = 4_096;

/** The passphrase is not the one that the backup was encrypted with. */
export class WrongPassphraseError extends Error {
  override readonly name = "WrongPassphraseError";
}

const aead = { name: "chacha20-poly1305", options: { authTagLength: tagBytes } } as const;

/** Encrypts bytes with a passphrase. */
export async function* encrypt(
  bytes: AsyncIterable<Uint8Array>,
  passphrase: string,
): AsyncGenerator<Uint8Array> {
  const [fileKey, salt, nonce] = [randomBytes(fileKeyBytes), randomBytes(16), randomBytes(nonceBytes)];
  const wrapped = seal(await passphraseKey(passphrase, salt, workFactor), Buffer.alloc(12), fileKey);
  const head = `${intro}\n-> scrypt ${base64(salt)} ${workFactor}\n${base64(wrapped)}\n---`;
  yield Buffer.concat([Buffer.from(`${head} ${base64(macOf(fileKey, head))}\n`), nonce]);
  const key = payloadKey(fileKey, nonce);
  let count = 0;
  // One chunk behind, because the last one is marked.
  let last: Buffer | undefined;
  for await (const chunk of inPieces(bytes, chunkBytes)) {
    if (last !== undefined) yield seal(key, chunkNonce(count++, false), last);
    last = chunk;
  }
  yield seal(key, chunkNonce(count, true), last ?? Buffer.alloc(0));
}

/**
 * Decrypts what `encrypt` or age wrote. Yields only bytes that were proven to be unchanged and in their place. Throws
 * `WrongPassphraseError`, and `ArchiveError` if the bytes are damaged or cut. `name` is what errors call them.
 */
export async function* decrypt(
  bytes: AsyncIterable<Uint8Array>,
  passphrase: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  const damaged = (how: string) =>
    new ArchiveError(`${name} is damaged or truncated: ${how}. Use another backup.`);
  const pieces = inPieces(bytes, chunkBytes + tagBytes)[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    const begin = first.done === true ? Buffer.alloc(0) : first.value;
    const { head, mac, salt, work, wrapped, sizeBytes } = parseHeader(begin, name);
    const fileKey = open(await passphraseKey(passphrase, salt, work), Buffer.alloc(12), wrapped);
    if (fileKey === undefined)
      throw new WrongPassphraseError(`This is not the passphrase of ${name}. Nothing was changed.`);
    if (!isSame(macOf(fileKey, head), mac)) throw damaged("its header was changed");
    const nonce = begin.subarray(sizeBytes, sizeBytes + nonceBytes);
    if (nonce.length < nonceBytes) throw damaged("its end is missing");
    const key = payloadKey(fileKey, nonce);
    let count = 0;
    let last: Buffer | undefined;
    for await (const chunk of inPieces(
      withFirst(begin.subarray(sizeBytes + nonceBytes), pieces),
      chunkBytes + tagBytes,
    )) {
      if (last !== undefined) {
        const plain = open(key, chunkNonce(count, false), last);
        if (plain === undefined) throw damaged(`its part ${count + 1} was changed`);
        count++;
        yield plain;
      }
      last = chunk;
    }
    const plain = last === undefined ? undefined : open(key, chunkNonce(count, true), last);
    if (plain === undefined) throw damaged("its end is missing or was changed");
    if (plain.length > 0) yield plain;
  } finally {
    await pieces.return?.(undefined);
  }
}

/** Whether these are the first bytes of an encrypted backup. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, intro.length)).toString("latin1") === intro;
}

function parseHeader(bytes: Buffer, name: string) {
  const text = bytes.subarray(0, headerBytesMax).toString("latin1");
  const found =
    /^(age-encryption\.org\/v1\n-> scrypt ([\w+/]{22}) ([1-9]\d?)\n([\w+/]{43})\n---) ([\w+/]{43})\n/.exec(
      text,
    );
  if (found === null) {
    const why = isEncrypted(bytes)
      ? "was not encrypted with a passphrase, or its beginning is damaged"
      : "is not an encrypted backup of Parlance";
    throw new ArchiveError(`${name} ${why}.`);
  }
  const [all, head = "", salt = "", workText = "", wrapped = "", mac = ""] = found;
  const work = Number(workText);
  if (work > workFactorMax)
    throw new ArchiveError(`${name} needs more memory to decrypt than this program takes.`);
  const decode = (value: string) => Buffer.from(value, "base64");
  return {
    head,
    work,
    salt: decode(salt),
    wrapped: decode(wrapped),
    mac: decode(mac),
    sizeBytes: all.length,
  };
}

async function* withFirst(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The same bytes in pieces of this length. Only the last one is shorter, and none is empty. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    size += chunk.length;
    if (size < length) continue;
    const all = Buffer.concat(waiting);
    let from = 0;
    for (; from + length <= all.length; from += length) yield all.subarray(from, from + length);
    waiting = [all.subarray(from)];
    size = all.length - from;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

function seal(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(aead.name, key, nonce, aead.options);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Uint8Array, nonce: Uint8Array, sealed: Buffer): Buffer | undefined {
  if (sealed.length < tagBytes) return undefined;
  const decipher = createDecipheriv(aead.name, key, nonce, aead.options);
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function chunkNonce(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(count, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function payloadKey(fileKey: Uint8Array, nonce: Uint8Array): Buffer {
  return Buffer.from(hkdfSync("sha256", fileKey, nonce, "payload", 32));
}

function macOf(fileKey: Uint8Array, head: string): Buffer {
  const key = Buffer.from(hkdfSync("sha256", fileKey, "", "header", 32));
  return createHmac("sha256", key).update(head).digest();
}

function isSame(one: Buffer, two: Buffer): boolean {
  return one.length === two.length && timingSafeEqual(one, two);
}

function passphraseKey(passphrase: string, salt: Uint8Array, work: number): Promise<Buffer> {
  const salted = Buffer.concat([Buffer.from(scryptLabel), salt]);
  const options = { N: 2 ** work, r: 8, p: 1, maxmem: 2 ** (work + 11) };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(passphrase, salted, 32, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  return promise;
}

/** Standard base64 without padding. */
function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("=", "");
}
