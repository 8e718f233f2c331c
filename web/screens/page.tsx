import type { ReactNode } from "react";
import { TopBar } from "./shell/top-bar.tsx";
import { useTitle } from "./shell/title.ts";
import styles from "./page.module.css";

/** A screen with a heading and a column of content. */
export function Page({
  title,
  above,
  children,
}: {
  title: string;
  /** A link to the parent page. */
  above?: ReactNode;
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <>
      <TopBar />
      <div className={styles["scroller"]}>
        <div className={styles["column"]}>
          {above !== undefined && <p className={styles["above"]}>{above}</p>}
          <h1 className={styles["title"]}>{title}</h1>
          {children}
        </div>
      </div>
    </>
  );
}

/** A screen with only a notice. */
export function NoticePage({ children }: { children: ReactNode }) {
  return (
    <>
      <TopBar />
      <div className={styles["scroller"]}>
        <div className={styles["column"]}>{children}</div>
      </div>
    </>
  );
}
