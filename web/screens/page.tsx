import { createContext, type ReactNode, use } from "react";
import { createLink } from "@tanstack/react-router";
import ChevronLeft from "lucide-react/icons/chevron-left";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { TopBar } from "./shell/top-bar.tsx";
import { useTitle } from "./shell/title.ts";
import styles from "./page.module.css";

/** A screen with a heading and a column of content. `above`: a link to the parent page. */
export function Page({ title, above, children }: { title: string; above?: ReactNode; children: ReactNode }) {
  const frame = use(FrameContext);
  useTitle(frame?.title === undefined ? title : t("app.titleIn", { title, parent: frame.title }));
  const back = above ?? frame?.back;
  return (
    <Column>
      {back !== undefined && <p className={styles["back"]}>{back}</p>}
      <h1 className={styles["title"]}>{title}</h1>
      {children}
    </Column>
  );
}

/** A screen with only a notice. */
export function NoticePage({ children }: { children: ReactNode }) {
  return <Column>{children}</Column>;
}

/**
 * The context of the pages of a screen that has several. The screen renders the bar and the column. `title` follows the
 * page's title in the title of the window; `back` is above pages that have no other parent.
 */
const FrameContext = createContext<{ title?: string; back?: ReactNode } | undefined>(undefined);
export const PageFrame = FrameContext.Provider;

export const BackLink = createLink(function BackAnchor({
  children,
  ...props
}: React.ComponentPropsWithRef<"a">) {
  return (
    <a {...props}>
      <Icon of={ChevronLeft} size={16} />
      {children}
    </a>
  );
});

function Column({ children }: { children: ReactNode }) {
  if (use(FrameContext) !== undefined) return children;
  return (
    <>
      <TopBar />
      <div className={styles["scroller"]}>
        <div className={styles["column"]}>{children}</div>
      </div>
    </>
  );
}
