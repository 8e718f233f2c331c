import { serve } from "./start.ts";

serve();
