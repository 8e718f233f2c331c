import type { RefObject } from "react";
import styles from "./program.module.css";
import { inApp } from "#web/lib/base-path.ts";

/** The sandboxed frame of programs and diagrams (`server/http/pages/sandbox-frame.ts`). */
export function SandboxFrame({
  ref,
  name,
  isDark = false,
  onLoad,
}: {
  ref: RefObject<HTMLIFrameElement | null>;
  name: string;
  isDark?: boolean;
  onLoad(): void;
}) {
  return (
    <iframe
      ref={ref}
      title={name}
      src={inApp("/program")}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      data-dark={isDark || undefined}
      className={styles["frame"]}
      onLoad={onLoad}
    />
  );
}
