import { useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'
// oxlint-disable-next-line import/no-unassigned-import -- Vite bundles it
import './site.css'

// oxlint-disable-next-line import/no-default-export -- VitePress finds a theme by it
export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    onMounted(nameMain)
    watch(
      () => route.path,
      () => nextTick(nameMain),
    )
  },
}

/** The home page of the default theme has no main landmark. */
function nameMain() {
  document.querySelector('.VPHome')?.setAttribute('role', 'main')
}
