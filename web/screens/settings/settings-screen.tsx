import { useLayoutEffect, useRef } from "react";
import { Link, Navigate, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { NotFoundScreen } from "../not-found-screen.tsx";
import { BackLink, Page, PageFrame } from "../page.tsx";
import { TopBar } from "../shell/top-bar.tsx";
import { findSettingsPage, settingsPages, useSettingsPages } from "./settings-pages.ts";
import styles from "./settings-screen.module.css";

/** In these windows the list of pages is beside the page; in narrower ones it is a page of its own. */
const wideEnough = "(width >= 60rem)";

/** The frame of all settings pages. Changing the page keeps the list, with its focus, and scrolls to the top. */
export function SettingsScreen() {
  const isListBeside = useMediaQuery(wideEnough);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [path]);
  return (
    <>
      <TopBar />
      <div ref={scroller} className={styles["scroller"]}>
        <div className={styles["columns"]} data-list-beside={isListBeside || undefined}>
          {isListBeside && <PageList />}
          <div className={styles["page"]}>
            <PageFrame
              value={{
                title: t("screen.settings"),
                back: isListBeside ? undefined : <BackLink to="/settings">{t("screen.settings")}</BackLink>,
              }}
            >
              <Outlet />
            </PageFrame>
          </div>
        </div>
      </div>
    </>
  );
}

/** `/settings`: the list of pages in narrow windows, else the first page. */
export function SettingsIndex() {
  const isListBeside = useMediaQuery(wideEnough);
  if (isListBeside) return <Navigate to="/settings/$page" params={{ page: settingsPages[0].name }} replace />;
  return (
    <PageFrame value={{}}>
      <Page title={t("screen.settings")}>
        <PageList isAlone />
      </Page>
    </PageFrame>
  );
}

/** `/settings/:page`. */
export function SettingsPageScreen() {
  const { page = "" } = useParams({ strict: false });
  const Screen = findSettingsPage(page)?.screen;
  return Screen === undefined ? <NotFoundScreen /> : <Screen key={page} />;
}

function PageList({ isAlone }: { isAlone?: true }) {
  const pages = useSettingsPages();
  return (
    <nav aria-label={t("settings.pages")} className={styles["list"]} data-alone={isAlone}>
      <ul>
        {pages.map(({ name, icon, label }) => (
          <li key={name}>
            <Link to="/settings/$page" params={{ page: name }} className={styles["link"]}>
              <Icon of={icon} />
              <span className={styles["label"]}>{label()}</span>
              {isAlone && <Icon of={ChevronRight} size={16} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
