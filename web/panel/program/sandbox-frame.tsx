import type { RefObject } from "react";
import styles from "./program.module.css";

/** The sandboxed frame of programs and diagrams (`server/http/sandbox-frame.ts`). */
export function SandboxFrame({
  ref,
  name,
  onLoad,
}: {
  ref: RefObject<HTMLIFrameElement | null>;
  name: string;
  onLoad(): void;
}) {
  return (
    <iframe
      ref={ref}
      title={name}
      src="/program"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      className={styles["frame"]}
      onLoad={onLoad}
    />
  );
}
