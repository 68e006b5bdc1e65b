import java.nio.file.Path;
import java.util.Properties;
import org.apache.solr.client.solrj.embedded.JettyConfig;
import org.apache.solr.client.solrj.embedded.JettySolrRunner;

/** A Solr server until standard input ends: HOME PORT */
public final class SolrServer {
    public static void main(String[] arguments) throws Exception {
        System.setProperty("solr.solr.home", arguments[0]);
        System.setProperty("host", "127.0.0.1");
        JettyConfig config = JettyConfig.builder().setContext("/solr").setPort(Integer.parseInt(arguments[1])).build();
        JettySolrRunner server = new JettySolrRunner(arguments[0], new Properties(), config);
        server.start(false);
        while (System.in.read() != -1) { }
        server.stop();
        System.exit(0);
    }
}
