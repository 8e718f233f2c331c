import { serve } from "./app/start.ts";

serve();
