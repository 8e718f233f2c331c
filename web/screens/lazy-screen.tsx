import { type ComponentType, useEffect, useState } from "react";
import { isOutdated, reloadOutdated } from "#web/data/build.ts";
import { useConnection } from "#web/data/sync/connection.ts";
import { Notice } from "#web/ui/notice.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { t } from "#web/i18n/translate.ts";
import { NoticePage } from "./page.tsx";
import { useTitle } from "./shell/title.ts";

/** A screen whose code comes when it is first shown. Where it does not come, the rest of the page stays. */
export function comingScreen(load: () => Promise<ComponentType>) {
  const screen = createLazyModule(load);
  function ComingScreen() {
    const Screen = screen.use();
    useEffect(() => void screen.load(), []);
    if (Screen === undefined) return null;
    if (Screen === "failed") return <NotLoaded bring={screen.load} />;
    return <Screen />;
  }
  /** The router calls this, and shows what was there until it has ended. */
  ComingScreen.preload = async () => void (await screen.load());
  return ComingScreen;
}

/** Tries again when the line is back. The files of a build that is gone never come: then it is the new build's turn. */
function NotLoaded({ bring }: { bring: () => Promise<boolean> }) {
  useTitle(t("missing.title"));
  const connection = useConnection();
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    if (connection !== "online") return undefined;
    let isLeft = false;
    void bringOrLearn(bring).then((old) => {
      if (isLeft || !old) return;
      setOld(true);
      reloadOutdated();
    });
    return () => void (isLeft = true);
  }, [connection, bring]);
  return (
    <NoticePage>
      <Notice
        level="h1"
        tone="loss"
        title={t("missing.title")}
        text={t(isOld ? "missing.outdated" : "missing.text")}
        action={
          isOld
            ? { label: t("crash.reload"), run: () => location.reload() }
            : { label: t("failure.retry"), run: () => void bring() }
        }
      />
    </NoticePage>
  );
}

/** Whether it did not come because its build is gone. */
async function bringOrLearn(bring: () => Promise<boolean>): Promise<boolean> {
  return !(await bring()) && (await isOutdated());
}
