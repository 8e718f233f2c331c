import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { AppError } from "#server/lib/errors.ts";

const derive = promisify(argon2);

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. About 50 ms of a core. */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
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
export function createPasswordHasher(options: { waitingMax?: number } = {}): PasswordHasher {
  const limited = createConcurrencyLimit(options.waitingMax ?? waitingMax);
  const dummyHash = encode(randomBytes(saltBytes), randomBytes(keyBytes));

  async function keyOf(password: string, salt: Buffer): Promise<Buffer> {
    const message = password.normalize("NFC");
    return await limited(
      async () => await derive("argon2id", { message, nonce: salt, tagLength: keyBytes, ...parameters }),
    );
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes);
      return encode(salt, await keyOf(password, salt));
    },
    async verify(password, stored) {
      const { salt, key } = decode(stored ?? dummyHash);
      const isSame = timingSafeEqual(await keyOf(password, salt), key);
      return isSame && stored !== undefined;
    },
  };
}

/** Runs at most `hashesAtOnce` functions at the same time; the others wait in order. */
function createConcurrencyLimit(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= hashesAtOnce) {
      if (waiting.length >= most) throw new AppError("server-busy", { retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** The format of argon2's own library. */
const prefix = `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$`;

function encode(salt: Buffer, key: Buffer): string {
  return `${prefix}${unpadded(salt)}$${unpadded(key)}`;
}

function decode(stored: string): { salt: Buffer; key: Buffer } {
  const [salt = "", key = ""] = stored.slice(prefix.length).split("$");
  if (!stored.startsWith(prefix)) throw new Error("This password hash has another format.");
  return { salt: Buffer.from(salt, "base64"), key: Buffer.from(key, "base64") };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
