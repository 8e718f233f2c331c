import type { ReactNode } from "react";
import { TopBar } from "./shell/top-bar.tsx";
import { useTitle } from "./shell/title.ts";
import styles from "./page.module.css";

/** A screen that is a page of its own: a heading, and the column below it. */
export function Page({
  title,
  above,
  children,
}: {
  title: string;
  /** The way back to the page that it belongs to. */
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

/** A screen that has only one thing to say. */
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
