import { useLayoutEffect, useMemo, useState } from "react";
import type { ExportedMessageRepository, ThreadMessage } from "@assistant-ui/react";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { factsOf, reuseIfEqual, type MessageFacts } from "#web/data/threads/message-facts.ts";
import type { VisibleFacts } from "#web/data/threads/message-facts-context.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { createStore } from "#web/lib/store.ts";
import { toThreadMessage } from "./convert.ts";

/** The visible branch as assistant-ui's messages, and as a store for our own hooks. */
export function useVisibleBranch(branch: VisibleMessage[]) {
  const [facts] = useState<VisibleFacts>(() => createStore<ReadonlyMap<string, MessageFacts>>(new Map()));

  const allFacts = useMemo(() => {
    const before = facts.get();
    let author: AnsweredBy | undefined;
    return new Map(
      branch.map((message, index) => {
        const facts = factsOf(message, author, branch[index - 1]);
        const next = reuseIfEqual(before.get(message.row.id), facts);
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
  useLayoutEffect(() => facts.set(allFacts), [facts, allFacts]);

  return { facts, messages, repository };
}

/**
 * Only the visible branch: the siblings are not loaded. A repository instead of a list,
 * because assistant-ui keeps messages that a new list no longer contains.
 */
function asRepository(messages: readonly ThreadMessage[]): ExportedMessageRepository {
  return {
    headId: messages.at(-1)?.id ?? null,
    messages: messages.map((message, index) => ({ message, parentId: messages[index - 1]?.id ?? null })),
  };
}
