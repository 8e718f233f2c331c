import styles from "./logo.module.css";

/** The logo: a P whose stem is a text cursor. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden focusable={false} className="rigid">
      <rect x="3.6" y="2" width="3.1" height="16" rx="1" className={styles["stem"]} />
      <path d="M9 2h2.6a5.2 5.2 0 0 1 0 10.4H9V9.6h2.4a2.4 2.4 0 0 0 0-4.8H9z" className={styles["bowl"]} />
    </svg>
  );
}
