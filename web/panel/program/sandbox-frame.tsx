import type { RefObject } from "react";
import styles from "./program.module.css";

/** The sandboxed frame of programs and diagrams (`server/http/sandbox-frame.ts`). */
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
      src="/program"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      data-dark={isDark || undefined}
      className={styles["frame"]}
      onLoad={onLoad}
    />
  );
}
