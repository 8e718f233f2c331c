import type { Context } from "#contract/endpoints/summaries.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";

export const contextList = createLazyModule(
  () => import("./context-list.tsx"),
  (module) => module.ContextList,
  "composer",
);

/** `onFailed`: the list did not load, which a message says. */
export function LazyContextList({ context, onFailed }: { context: Context; onFailed(): void }) {
  const ContextList = useLoaded(contextList, { onFailed });
  return ContextList && <ContextList context={context} />;
}
