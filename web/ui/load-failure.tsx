import { useEffect, useEffectEvent } from "react";
import { isOutdated } from "#web/data/outdated-build.ts";
import { t } from "#web/i18n/translate.ts";
import { Button } from "./button.tsx";
import type { LazyModule } from "./lazy-module.ts";
import { showToast } from "./toast.tsx";
import styles from "./load-failure.module.css";

type AnyModule = LazyModule<object>;

/**
 * Shows once that a module did not load. Offers a retry, which loads it again unless it is given, or a reload of the page
 * if the server has a newer build.
 */
export async function showLoadFailure(
  module: AnyModule,
  retry: () => void = () => void loadOrReport(module),
): Promise<void> {
  const isOutdatedBuild = await isOutdated();
  showToast(t(isOutdatedBuild ? "missing.outdated" : "missing.piece"), {
    about: module,
    tone: "danger",
    action: isOutdatedBuild
      ? { label: t("crash.reload"), run: () => location.reload() }
      : { label: t("action.retry"), run: retry },
  });
}

async function loadOrReport(module: AnyModule): Promise<void> {
  if (!(await module.load())) await showLoadFailure(module);
}

/**
 * What `module` has, which is loaded when the component is first shown; `undefined` until then. If it does not load, calls
 * `onFailed` and shows a message that offers to `retry`. A component that stays then shows `MissingPiece`.
 */
export function useLoaded<Value extends object>(
  module: LazyModule<Value>,
  { onFailed, retry }: { onFailed?: () => void; retry?: (() => void) | undefined } = {},
): Value | undefined {
  const loaded = module.use();
  const fail = useEffectEvent(() => {
    onFailed?.();
    void showLoadFailure(module, retry);
  });
  useEffect(() => {
    let isUnmounted = false;
    void module.load().then((hasLoaded) => {
      if (!hasLoaded && !isUnmounted) fail();
    });
    return () => void (isUnmounted = true);
  }, [module]);
  return loaded === "failed" ? undefined : loaded;
}

/** Takes the place of what a module shows, after it failed to load. */
export function MissingPiece({ module }: { module: AnyModule }) {
  return (
    <p className={styles["missing"]}>
      {t("missing.piece")}
      <Button look="plain" onClick={() => void loadOrReport(module)}>
        {t("action.retry")}
      </Button>
    </p>
  );
}
