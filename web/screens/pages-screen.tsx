import { type ReactNode, useLayoutEffect, useRef } from "react";
import { Link, Navigate, Outlet, useRouterState } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useMediaQuery } from "#web/lib/use-media-query.ts";
import { Icon } from "#web/ui/icon.tsx";
import { BackLink, Page, PageFrame } from "./page.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import styles from "./pages-screen.module.css";

/** In these windows the list of pages is beside the page; in narrower ones it is a page of its own. */
const wideEnough = "(width >= 60rem)";

/** A screen of several pages: the settings, and the administration. */
export type PagesScreenProps = {
  root: "/settings" | "/admin";
  title: string;
  /** The name of the list for screen readers. */
  listLabel: string;
  pages: readonly { name: string; icon: LucideIcon; label(): string }[];
  /** In the bar above all pages. */
  note?: ReactNode;
};

/** The frame of all its pages. Changing the page keeps the list, with its focus, and scrolls to the top. */
export function PagesScreen(props: PagesScreenProps) {
  const isListBeside = useMediaQuery(wideEnough);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [path]);
  const { root, title, note } = props;
  return (
    <>
      <TopBar>{note}</TopBar>
      <div ref={scroller} className={styles["scroller"]}>
        <div className={styles["columns"]} data-list-beside={isListBeside || undefined}>
          {isListBeside && <PageList {...props} />}
          <div className={styles["page"]}>
            <PageFrame
              value={{ title, back: isListBeside ? undefined : <BackLink to={root}>{title}</BackLink> }}
            >
              <Outlet />
            </PageFrame>
          </div>
        </div>
      </div>
    </>
  );
}

/** The index, whose URL names no page: the list of pages in narrow windows, else the first page. */
export function PagesIndex(props: PagesScreenProps) {
  const isListBeside = useMediaQuery(wideEnough);
  const first = props.pages[0];
  if (isListBeside && first !== undefined)
    return <Navigate to={`${props.root}/$page`} params={{ page: first.name }} replace />;
  return (
    <PageFrame value={{}}>
      <Page title={props.title}>
        <PageList {...props} isAlone />
      </Page>
    </PageFrame>
  );
}

function PageList({ root, listLabel, pages, isAlone }: PagesScreenProps & { isAlone?: true }) {
  return (
    <nav aria-label={listLabel} className={styles["list"]} data-alone={isAlone}>
      <ul>
        {pages.map(({ name, icon, label }) => (
          <li key={name}>
            <Link to={`${root}/$page`} params={{ page: name }} className={styles["link"]}>
              <Icon of={icon} />
              <span className="grow">{label()}</span>
              {isAlone && <Icon of={ChevronRight} size={16} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
