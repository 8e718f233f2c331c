import type { Json } from "#contract/json.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { MissingPiece, useLoaded } from "#web/ui/load-failure.tsx";

export const nestedMessages = createLazyModule(
  () => import("./nested-messages.tsx"),
  (module) => module.NestedMessages,
  "thread",
);

/** The messages within a tool call, which few calls have. */
export function LazyNestedMessages({ messages }: { messages: Json }) {
  const NestedMessages = useLoaded(nestedMessages);
  if (nestedMessages.use() === "failed") return <MissingPiece module={nestedMessages} />;
  return NestedMessages && <NestedMessages messages={messages} />;
}
