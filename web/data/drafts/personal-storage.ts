import type { SafeStorage } from "./safe-storage.ts";

/**
 * The user who wrote the texts. A visitor whose session is lost can never sign in again. `hasAccount`: a visitor who
 * signs in takes their threads along to the account.
 */
export type Owner = { userId: string; isVisitor: boolean; hasAccount?: boolean };

/**
 * The part of this device's storage that belongs to the current user. Texts of other users stay hidden until they are
 * signed in again. Until the server has identified the user, the previous user of this device is assumed.
 */
export type PersonalStorage = SafeStorage & {
  /**
   * Switches to the user that the server has identified. `inherited`: the user gets the existing texts, because they
   * were written before anyone was identified, by a visitor whose session was lost, or by the visitor who signed in to
   * this account. `another`: nothing is inherited.
   */
  switchTo: (owner: Owner) => "same" | "inherited" | "another";
  /** The current user's id; `undefined` if no user was ever identified. */
  ownerId: () => string | undefined;
  /** Deletes the current user's unsent texts, and what their panels show. */
  clear: () => void;
};

const ownerKey = "parlance.person";
const ownerSuffix = /@usr_[^@]*$/;
/** The prefixes of the user's texts that the server does not have yet. */
export const unsentPrefixes = ["parlance.draft.", "parlance.outbox.", "parlance.answers."];
/** What the panel of each of the user's threads shows. */
export const panelsPrefix = "parlance.panels.";
const ownPrefixes = [...unsentPrefixes, panelsPrefix];

export function createPersonalStorage(storage: SafeStorage): PersonalStorage {
  let owner = readOwner(storage);
  const suffixOf = (user: Owner | undefined) => (user === undefined ? "" : `@${user.userId}`);
  const keyOf = (key: string) => key + suffixOf(owner);

  /** The key without its owner's suffix; `undefined` if the key belongs to another user. */
  function withoutSuffix(key: string, user: Owner | undefined): string | undefined {
    const suffix = ownerSuffix.exec(key)?.[0] ?? "";
    return suffix === suffixOf(user) ? key.slice(0, key.length - suffix.length) : undefined;
  }

  function keysOf(prefix: string, user: Owner | undefined): string[] {
    return storage
      .keys(prefix)
      .map((key) => withoutSuffix(key, user))
      .filter((key) => key !== undefined);
  }

  function inherit(from: Owner | undefined, to: Owner): void {
    for (const key of ownPrefixes.flatMap((prefix) => keysOf(prefix, from))) {
      const text = storage.get(key + suffixOf(from));
      storage.remove(key + suffixOf(from));
      if (text !== undefined) storage.set(key + suffixOf(to), text);
    }
  }

  function keepOwner(next: Owner): void {
    owner = next;
    storage.set(ownerKey, JSON.stringify(next));
  }

  return {
    ownerId: () => owner?.userId,
    clear() {
      for (const key of ownPrefixes.flatMap((prefix) => keysOf(prefix, owner))) storage.remove(keyOf(key));
    },
    state: storage.state,
    isAtRisk: storage.isAtRisk,
    get: (key) => storage.get(keyOf(key)),
    set: (key, text) => storage.set(keyOf(key), text),
    remove: (key) => storage.remove(keyOf(key)),
    keys: (prefix) => keysOf(prefix, owner),
    subscribeToOtherTabs: (prefix, listener) =>
      storage.subscribeToOtherTabs(prefix, (key, text) => {
        const ownKey = withoutSuffix(key, owner);
        if (ownKey !== undefined) listener(ownKey, text);
      }),
    switchTo(next) {
      const before = owner;
      if (before?.userId === next.userId) {
        if (before.isVisitor !== next.isVisitor) keepOwner(next);
        return "same";
      }
      const inherits =
        before === undefined || (before.isVisitor && (next.isVisitor || next.hasAccount === true));
      if (inherits) inherit(before, next);
      keepOwner(next);
      return inherits ? "inherited" : "another";
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
