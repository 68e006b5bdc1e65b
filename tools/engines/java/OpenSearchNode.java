import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;

/** A node with plugins of the class path, until standard input ends: HOME PORT VERSION CLASS-OF-PLUGIN... */
public final class OpenSearchNode extends Node {
    private OpenSearchNode(Settings settings, List<PluginInfo> plugins) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "rankmax"), plugins, true);
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", arguments[0])
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("node.processors", 1)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        List<PluginInfo> plugins = new ArrayList<>();
        for (int i = 3; i < arguments.length; i++) {
            String name = arguments[i];
            plugins.add(new PluginInfo(name, "", arguments[2], Version.CURRENT, "21", name, null, List.of(), false));
        }
        Node node = new OpenSearchNode(settings, plugins).start();
        while (System.in.read() != -1) { }
        node.close();
        System.exit(0);
    }
}
