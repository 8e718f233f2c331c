import { useLayoutEffect, useMemo, useState } from "react";
import type { ExportedMessageRepository, ThreadMessage } from "@assistant-ui/react";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { BranchActions } from "#web/data/threads/branch-actions.ts";
import { factsOf, reuseIfEqual, type MessageFacts } from "#web/data/threads/message-facts.ts";
import type { VisibleFacts } from "#web/data/threads/reply.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { toThreadMessage } from "./convert.ts";
import type { Siblings } from "./thread-view.ts";

/** The visible branch as assistant-ui's messages, and as stores for our own hooks. */
export function useVisibleBranch(branch: VisibleMessage[], actions: BranchActions) {
  const [facts] = useState<VisibleFacts>(() => createStore<ReadonlyMap<string, MessageFacts>>(new Map()));
  const [siblings] = useState<Store<Siblings>>(() =>
    createStore<Siblings>({ of: new Map(), show: () => Promise.resolve() }),
  );

  const allFacts = useMemo(() => {
    const before = facts.get();
    let author: AnsweredBy | undefined;
    return new Map(
      branch.map((message) => {
        const next = reuseIfEqual(before.get(message.row.id), factsOf(message, author));
        author = next.author ?? author;
        return [message.row.id, next];
      }),
    );
  }, [branch, facts]);
  const messages = useMemo(
    () =>
      branch.map((message): ThreadMessage =>
        toThreadMessage(message, allFacts.get(message.row.id) ?? factsOf(message)),
      ),
    [branch, allFacts],
  );
  const repository = useMemo(() => asRepository(messages), [messages]);

  // A layout effect, so that no frame shows a message without its facts.
  useLayoutEffect(() => {
    facts.set(allFacts);
    siblings.set({
      of: new Map(branch.map(({ row }) => [row.id, row.siblings])),
      show: actions.showMessage,
    });
  }, [facts, siblings, allFacts, branch, actions]);

  return { facts, siblings, messages, repository };
}

/**
 * Only the visible branch: `useSiblings` handles the siblings, which are not loaded. A repository instead of a list,
 * because assistant-ui keeps messages that a new list no longer contains.
 */
export function asRepository(messages: readonly ThreadMessage[]): ExportedMessageRepository {
  return {
    headId: messages.at(-1)?.id ?? null,
    messages: messages.map((message, index) => ({ message, parentId: messages[index - 1]?.id ?? null })),
  };
}
