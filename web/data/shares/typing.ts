import type { Change } from "#contract/changes.ts";
import { limits } from "#contract/limits.ts";
import { createStore } from "#web/lib/store.ts";
import { serviceNowMs } from "../session/service-clock.ts";

type Typist = { userId: string; name: string | null; until: number };
type Typists = ReadonlyMap<string, readonly Typist[]>;

/** Who is typing in which thread. */
const typists = createStore<Typists>(new Map());

/** Shows somebody else as typing until the change expires. Old changes, which come after a reconnection, have no effect. */
export function showTyping({
  thread_id: threadId,
  ...typist
}: Extract<Change, { type: "typing-put" }>): void {
  const leftMs = typist.until - serviceNowMs();
  if (leftMs <= 0) return;
  const { user_id: userId, name, until } = typist;
  const others = (typists.get().get(threadId) ?? []).filter((each) => each.userId !== userId);
  put(threadId, [...others, { userId, name, until }]);
  // A second more than the server's clock says, because this one is measured to about a second.
  setTimeout(() => removeExpired(threadId, until), Math.min(leftMs, limits.typingMs) + 1_000);
}

function removeExpired(threadId: string, until: number): void {
  const left = (typists.get().get(threadId) ?? []).filter((each) => each.until > until);
  put(threadId, left);
}

/** Somebody has sent a message in the thread. */
export function stopTyping(threadId: string): void {
  if (typists.get().has(threadId)) put(threadId, []);
}

function put(threadId: string, list: readonly Typist[]): void {
  const next = new Map(typists.get());
  if (list.length === 0) next.delete(threadId);
  else next.set(threadId, list);
  typists.set(next);
}

const nobody: readonly Typist[] = [];

/** The others who are typing in the thread. */
export function useTypists(threadId: string): readonly Typist[] {
  return typists.use().get(threadId) ?? nobody;
}
