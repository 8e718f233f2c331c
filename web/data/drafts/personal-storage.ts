import type { SafeStorage } from "./safe-storage.ts";

/** A person as far as their words on this device go. A visitor whose session is lost can never be signed in again. */
export type Owner = { userId: string; isVisitor: boolean };

/**
 * This device's storage as one person's: what lies there of somebody else is not found, and is there again when they
 * are. Before the service has said who this is, it is theirs who were here last.
 */
export type PersonalStorage = SafeStorage & {
  /**
   * The service has said who this is. What was written before anybody was known is theirs, and so is what a visitor
   * left whose session was lost: who comes after them is their `heir`. To `another` nothing of it is shown.
   */
  become: (owner: Owner) => "same" | "heir" | "another";
  /** Whose it is now; absent before anybody was known. */
  owner: () => string | undefined;
  /** Throws away whatever this person wrote and did not send. */
  forget: () => void;
};

const ownerKey = "parlance.person";
const ownersEnd = /@usr_[^@]*$/;
/** What is written under no name yet, and by earlier versions. */
const written = ["parlance.draft.", "parlance.outbox.", "parlance.answers."];

export function createPersonalStorage(storage: SafeStorage): PersonalStorage {
  let owner = readOwner(storage);
  const endOf = (whose: Owner | undefined) => (whose === undefined ? "" : `@${whose.userId}`);
  const keyOf = (key: string) => key + endOf(owner);

  /** The key without its owner; `undefined` where it is another's. */
  function ownOf(key: string, whose: Owner | undefined): string | undefined {
    const end = ownersEnd.exec(key)?.[0] ?? "";
    return end === endOf(whose) ? key.slice(0, key.length - end.length) : undefined;
  }

  function keysOf(prefix: string, whose: Owner | undefined): string[] {
    return storage
      .keys(prefix)
      .map((key) => ownOf(key, whose))
      .filter((key) => key !== undefined);
  }

  function inherit(from: Owner | undefined, to: Owner): void {
    for (const key of written.flatMap((prefix) => keysOf(prefix, from))) {
      const text = storage.get(key + endOf(from));
      storage.remove(key + endOf(from));
      if (text !== undefined) storage.set(key + endOf(to), text);
    }
  }

  return {
    owner: () => owner?.userId,
    forget() {
      for (const key of written.flatMap((prefix) => keysOf(prefix, owner))) storage.remove(keyOf(key));
    },
    keeping: storage.keeping,
    isAtRisk: storage.isAtRisk,
    get: (key) => storage.get(keyOf(key)),
    set: (key, text) => storage.set(keyOf(key), text),
    remove: (key) => storage.remove(keyOf(key)),
    keys: (prefix) => keysOf(prefix, owner),
    heardElsewhere: (prefix, heard) =>
      storage.heardElsewhere(prefix, (key, text) => {
        const own = ownOf(key, owner);
        if (own !== undefined) heard(own, text);
      }),
    become(next) {
      const before = owner;
      if (before?.userId === next.userId) return "same";
      const isHeir = before === undefined || (before.isVisitor && next.isVisitor);
      if (isHeir) inherit(before, next);
      owner = next;
      storage.set(ownerKey, JSON.stringify(next));
      return isHeir ? "heir" : "another";
    },
  };
}

function readOwner(storage: SafeStorage): Owner | undefined {
  try {
    const { userId, isVisitor } = JSON.parse(storage.get(ownerKey) ?? "{}") as Partial<Owner>;
    return typeof userId === "string" ? { userId, isVisitor: isVisitor === true } : undefined;
  } catch {
    return undefined;
  }
}
