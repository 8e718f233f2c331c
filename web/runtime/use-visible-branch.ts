import { useLayoutEffect, useMemo, useState } from "react";
import type { ExportedMessageRepository, ThreadMessage } from "@assistant-ui/react";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { BranchDeeds } from "#web/data/threads/branch-actions.ts";
import { factsOf, keepSame, type MessageFacts } from "#web/data/threads/message-facts.ts";
import type { ShownFacts } from "#web/data/threads/reply.ts";
import type { ShownMessage } from "#web/data/threads/visible-branch.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { toThreadMessage } from "./convert.ts";
import type { Siblings } from "./thread-view.ts";

/** What is shown, in the forms in which its readers want it: assistant-ui's messages, and stores for our own hooks. */
export function useShown(shown: ShownMessage[], deeds: BranchDeeds) {
  const [facts] = useState<ShownFacts>(() => createStore<ReadonlyMap<string, MessageFacts>>(new Map()));
  const [siblings] = useState<Store<Siblings>>(() =>
    createStore<Siblings>({ of: new Map(), show: () => Promise.resolve() }),
  );

  const known = useMemo(() => {
    const before = facts.get();
    let maker: AnsweredBy | undefined;
    return new Map(
      shown.map((message) => {
        const next = keepSame(before.get(message.row.id), factsOf(message, maker));
        maker = next.madeBy ?? maker;
        return [message.row.id, next];
      }),
    );
  }, [shown, facts]);
  const messages = useMemo(
    () =>
      shown.map((message): ThreadMessage =>
        toThreadMessage(message, known.get(message.row.id) ?? factsOf(message)),
      ),
    [shown, known],
  );
  const repository = useMemo(() => asRepository(messages), [messages]);

  // Before the paint, so that no frame shows a message without its facts.
  useLayoutEffect(() => {
    facts.set(known);
    siblings.set({
      of: new Map(shown.map(({ row }) => [row.id, row.siblings])),
      show: deeds.show,
    });
  }, [facts, siblings, known, shown, deeds]);

  return { facts, siblings, messages, repository };
}

/**
 * The shown branch alone: siblings that are not loaded are our own matter (`useSiblings`). As a repository and not as a
 * list, because a list leaves behind in assistant-ui what it does not hold any more.
 */
export function asRepository(messages: readonly ThreadMessage[]): ExportedMessageRepository {
  return {
    headId: messages.at(-1)?.id ?? null,
    messages: messages.map((message, index) => ({ message, parentId: messages[index - 1]?.id ?? null })),
  };
}
