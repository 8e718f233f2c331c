import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { AppError } from "#server/lib/errors.ts";
import { createSemaphore } from "#server/lib/concurrency/semaphore.ts";

const derive = promisify(argon2);

/** How much one argon2id hash costs, with one lane: `memory` in KiB. */
export type PasswordCost = { memory: number; passes: number };

/** OWASP's minimum. About 50 ms of a core. */
const usualCost: PasswordCost = { memory: 19_456, passes: 2 };
const saltBytes = 16;
const keyBytes = 32;

/** Each hash occupies a core and 19 MiB. With two, the rest of the server still answers on two cores. */
const hashesAtOnce = 2;
/** A full queue takes about a second and a half. */
const waitingMax = 30;

export type PasswordHasher = {
  /** A hash to store. Throws `server-busy`. */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` matches the hash in `stored`. Without `stored` it takes the same time and returns `false`, so
   * that nobody learns who has an account. Throws `server-busy`.
   */
  verify(password: string, stored: string | undefined): Promise<boolean>;
};

/** Hashes passwords with argon2id, a limited number at once. */
export function createPasswordHasher(cost = usualCost): PasswordHasher {
  const fullError = () => new AppError("server-busy", { retryAfterSeconds: 2 });
  const semaphore = createSemaphore({ max: hashesAtOnce, waitingMax, fullError });
  const dummyHash = encode(cost, randomBytes(saltBytes), randomBytes(keyBytes));

  async function keyOf(password: string, salt: Buffer, { memory, passes }: PasswordCost): Promise<Buffer> {
    const message = password.normalize("NFC");
    const parameters = { message, nonce: salt, tagLength: keyBytes, memory, passes, parallelism: 1 };
    return await semaphore.run(async () => await derive("argon2id", parameters));
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return encode(cost, salt, await keyOf(password, salt, cost));
    },
    async verify(password, stored) {
      const { salt, key, ...storedCost } = decode(stored ?? dummyHash);
      const isSame = timingSafeEqual(await keyOf(password, salt, storedCost), key);
      return isSame && stored !== undefined;
    },
  };
}

/** KiB and passes: more than any sensible hash costs. */
const memoryMax = 1_048_576;
const passesMax = 10;

/** The format of argon2's own library. */
const format = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([\w+/]+)\$([\w+/]+)$/;

function encode({ memory, passes }: PasswordCost, salt: Buffer, key: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${unpadded(salt)}$${unpadded(key)}`;
}

function decode(stored: string): PasswordCost & { salt: Buffer; key: Buffer } {
  const [, memory, passes, salt, key] = format.exec(stored) ?? [];
  if (salt === undefined || key === undefined) throw new Error("This password hash has another format.");
  // From a restored archive, for example. It would exhaust the memory.
  if (Number(memory) > memoryMax || Number(passes) > passesMax)
    throw new Error("This password hash is too expensive.");
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, "base64"),
    key: Buffer.from(key, "base64"),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
