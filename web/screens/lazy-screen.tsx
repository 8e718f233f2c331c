import { type ComponentType, useEffect, useState } from "react";
import { isOutdated, reloadOutdated } from "#web/data/outdated-build.ts";
import { useConnection } from "#web/data/sync/connection.ts";
import type { TextsName } from "#web/i18n/language.ts";
import { Notice } from "#web/ui/notice.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { t } from "#web/i18n/translate.ts";
import { NoticePage } from "./page.tsx";
import { useTitle } from "./shell/title.ts";

/**
 * A screen whose code loads when it is first shown, with `texts` and those that all screens share. If it fails to load,
 * the rest of the page still works.
 */
export function lazyScreen<Module extends object>(
  importModule: () => Promise<Module>,
  pick: (module: Module) => ComponentType,
  ...texts: TextsName[]
) {
  const screen = createLazyModule(importModule, pick, "screens", ...texts);
  function LazyScreen() {
    const Screen = screen.use();
    useEffect(() => void screen.load(), []);
    if (Screen === undefined) return null;
    if (Screen === "failed") return <LoadFailed load={screen.load} />;
    return <Screen />;
  }
  /** The router calls this and keeps the previous screen until it resolves. */
  LazyScreen.preload = async () => void (await screen.load());
  return LazyScreen;
}

/** Files that several screens share and that failed while offline load again only in a new page. */
let wasOffline = false;

/** Retries when the connection is back. If the server has a newer build, the old files are gone, so the page reloads. */
function LoadFailed({ load }: { load: () => Promise<boolean> }) {
  useTitle(t("missing.title"));
  const connection = useConnection();
  const [isOutdatedBuild, setOutdatedBuild] = useState(false);
  useEffect(() => {
    if (connection !== "online") {
      wasOffline = true;
      return undefined;
    }
    let isUnmounted = false;
    void load().then(async (isLoaded) => {
      if (isLoaded || isUnmounted) return;
      const isOutdatedNow = await isOutdated();
      if (isUnmounted || (!isOutdatedNow && !wasOffline)) return;
      setOutdatedBuild(isOutdatedNow);
      reloadOutdated();
    });
    return () => void (isUnmounted = true);
  }, [connection, load]);
  return (
    <NoticePage>
      <Notice
        level="h1"
        tone="danger"
        title={t("missing.title")}
        text={t(isOutdatedBuild ? "missing.outdated" : "missing.text")}
        action={
          isOutdatedBuild
            ? { label: t("crash.reload"), run: () => location.reload() }
            : { label: t("action.retry"), run: () => void load() }
        }
      />
    </NoticePage>
  );
}
