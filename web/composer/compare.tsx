import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";

const comparing = createLazyModule(
  () => import("./compare-bundle.ts"),
  (module) => module,
  "composer",
);

/** The dialog in which people choose the models to compare, loaded when it opens. */
export function Compare({
  selection,
  reopen,
  onClose,
}: {
  selection: AssistantAndModel;
  reopen(): void;
  onClose(): void;
}) {
  const loaded = useLoaded(comparing, { onFailed: onClose, retry: reopen });
  if (loaded === undefined) return null;
  const { models, model, isLocalOnly, compared } = selection;
  return (
    <loaded.CompareDialog
      models={models}
      isLocalOnly={isLocalOnly}
      chosenAtFirst={compared?.models ?? (model === undefined ? [] : [model])}
      onChoose={(next) => {
        selection.compare(next);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** Says which models answer the next message. There is nothing to say before the dialog has loaded. */
export function LazyComparedNote({ selection }: { selection: AssistantAndModel }) {
  const loaded = comparing.use();
  if (loaded === undefined || loaded === "failed") return null;
  return <loaded.ComparedNote selection={selection} />;
}
