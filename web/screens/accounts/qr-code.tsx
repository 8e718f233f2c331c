import { encode } from "uqr";
import styles from "./second-factor.module.css";

/** The quiet zone that the standard requires around a QR code. */
const border = 4;

/** A QR code, drawn on this device: what it contains is secret. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: "M", border });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={styles["qr"]}
    >
      <path d={path} />
    </svg>
  );
}
