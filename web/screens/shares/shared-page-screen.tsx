import { useEffect } from "react";

/** `/s/<token>`: the server renders this page. The app comes here after signing in. */
export function SharedPageScreen() {
  useEffect(() => location.reload(), []);
  return null;
}
